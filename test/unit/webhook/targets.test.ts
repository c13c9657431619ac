import { expect, test } from 'vitest'
import { createTargets } from '../../../shared/adapters/webhook/targets.ts'

test('a URL is taken apart into what is connected to and what is asked for', () => {
  const targetOf = createTargets({ allowPrivate: false })
  const target = { ok: true, origin: 'https://shop.example', path: '/hooks/1?key=a' }
  expect(targetOf('https://shop.example/hooks/1?key=a')).toEqual(target)
  expect(targetOf('https://shop.example/hooks/2')).toEqual({ ...target, path: '/hooks/2' })
  expect(targetOf('https://shop.example/hooks/1?key=a')).toEqual(target)
})

test('a URL that is refused is refused each time, and for its own reason', () => {
  const targetOf = createTargets({ allowPrivate: false })
  for (let count = 0; count < 2; count += 1) {
    expect(targetOf('http://shop.example/')).toEqual({ ok: false, reason: 'url_refused' })
    expect(targetOf('https://10.0.0.1/')).toEqual({ ok: false, reason: 'address_refused' })
  }
})

test('a laptop and the cloud remember apart what they send to', () => {
  const url = 'http://127.0.0.1:4000/'
  expect(createTargets({ allowPrivate: true })(url).ok).toBe(true)
  expect(createTargets({ allowPrivate: false })(url).ok).toBe(false)
})

test('of more URLs than are remembered each is read as it is', () => {
  const targetOf = createTargets({ allowPrivate: false, rememberedMax: 3 })
  for (const at of [0, 1, 2, 3, 0, 4, 3, 1]) {
    expect(targetOf(`https://shop.example/${at}`)).toMatchObject({ path: `/${at}` })
  }
})
