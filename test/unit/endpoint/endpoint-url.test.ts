import { describe, expect, test } from 'vitest'
import { endpointUrlLengthMax, parseEndpointUrl } from '../../../shared/domain/endpoint/endpoint-url.ts'

const inCloud = { allowPrivate: false }
const onLaptop = { allowPrivate: true }

const refusalOf = (text: string, settings: { allowPrivate: boolean }): string => {
  const parsed = parseEndpointUrl(text, settings)
  return parsed.ok ? `allowed as ${parsed.url.href}` : parsed.reason
}

test.each([
  ['https://example.com/hooks?tenant=7', 'https://example.com/hooks?tenant=7'],
  ['HTTPS://EXAMPLE.com', 'https://example.com/'],
  ['https://example.com:8443/a', 'https://example.com:8443/a'],
  ['https://example.com:443/a', 'https://example.com/a'],
  ['https://8.8.8.8/', 'https://8.8.8.8/'],
  ['https://[2606:4700::1]/', 'https://[2606:4700::1]/'],
  ['https://bücher.example.com/', 'https://xn--bcher-kva.example.com/'],
  ['https://a_b.example.com/', 'https://a_b.example.com/'],
])('%s is allowed everywhere, as %s', (text, href) => {
  for (const settings of [inCloud, onLaptop]) {
    const parsed = parseEndpointUrl(text, settings)
    expect(parsed.ok && parsed.url.href).toBe(href)
  }
})

describe('what only a laptop may send to', () => {
  test.each([
    'http://example.com/',
    'https://localhost/',
    'https://LOCALHOST:3000/',
    'https://app.localhost/',
    'https://ⓛocalhost/',
    'https://printer.local/',
    'https://vault.internal/',
    'https://metadata.google.internal/',
    'https://nas.home.arpa/',
    'https://receiver/',
    'https://example.com:25/',
    'https://example.com:80/',
  ])('%s is refused in the cloud', text => {
    expect(refusalOf(text, inCloud)).toBe('url_refused')
    expect(refusalOf(text, onLaptop)).toMatch(/^allowed/)
  })

  test.each([
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0x7f.1/',
    'https://0177.0.0.1/',
    'https://127.1/',
    'https://127.0.0.1./',
    'https://127。0。0。1/',
    'https://%31%32%37.0.0.1/',
    'https://10.0.0.1/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[fd12::1]/',
  ])('the address in %s is refused in the cloud', text => {
    expect(refusalOf(text, inCloud)).toBe('address_refused')
    expect(refusalOf(text, onLaptop)).toMatch(/^allowed/)
  })
})

describe('what nobody may send to', () => {
  test.each([
    ['https://169.254.169.254/latest/meta-data/', 'address_refused'],
    ['https://[fd00:ec2::254]/', 'address_refused'],
    ['https://[64:ff9b::7f00:1]/', 'address_refused'],
    ['https://[2002:7f00:1::]/', 'address_refused'],
    ['https://[::127.0.0.1]/', 'address_refused'],
    ['https://0.0.0.0/', 'address_refused'],
    ['https://0/', 'address_refused'],
    ['https://[::]/', 'address_refused'],
    ['https://[fe80::1%25eth0]/', 'url_refused'],
    ['https://localhost./', 'url_refused'],
    ['https://example.com./', 'url_refused'],
    ['https://example.com../', 'url_refused'],
    ['https://user@example.com/', 'url_refused'],
    ['https://user:secret@example.com/', 'url_refused'],
    ['https://example.com/#part', 'url_refused'],
    ['https://example.com/#', 'url_refused'],
    ['https://example.com:0/', 'url_refused'],
    ['https://example.com:65536/', 'url_refused'],
    ['ftp://example.com/', 'url_refused'],
    ['file:///etc/passwd', 'url_refused'],
    ['data:text/plain,x', 'url_refused'],
    ['example.com/hooks', 'url_refused'],
    ['https://', 'url_refused'],
    ['', 'url_refused'],
    [' https://example.com/', 'url_refused'],
    ['https://example.com/a\nb', 'url_refused'],
    ['https://exam\tple.com/', 'url_refused'],
    ['https://example.com\\@127.0.0.1/', 'url_refused'],
    ['https://exa\u200bmple.com/', 'url_refused'],
    ['https://-a.example.com/', 'url_refused'],
    ['https://a$b.example.com/', 'url_refused'],
    [`https://${'a'.repeat(64)}.example.com/`, 'url_refused'],
    [`https://${'a.'.repeat(130)}com/`, 'url_refused'],
    [`https://example.com/${'a'.repeat(endpointUrlLengthMax)}`, 'url_refused'],
  ])('%j is refused with %s', (text, reason) => {
    expect(refusalOf(text, inCloud)).toBe(reason)
    expect(refusalOf(text, onLaptop)).toBe(reason)
  })
})

describe('a refusal', () => {
  test.each([
    ['http://example.com/', 'the URL begins with http:; it must begin with https://'],
    ['https://10.0.0.1/', '10.0.0.1 is not a public address (private); use one that the internet can reach'],
    ['https://example.com:22/', 'port 22 belongs to another protocol; use 443, or 1024 and above'],
    ['https://localhost/', 'localhost is a name within a network; use a public host name'],
  ])('of %s says what is wrong and what is right', (text, problem) => {
    const parsed = parseEndpointUrl(text, inCloud)
    expect(parsed.ok ? null : parsed.problem).toBe(problem)
  })

  test('never repeats the path, the query or the user, which may be secrets', () => {
    const texts = [
      'https://s3cret@example.com/',
      'http://example.com/s3cret?s3cret',
      'https://localhost/s3cret',
    ]
    for (const text of [...texts, 'https://10.0.0.1/s3cret', 's3cret', 'https://exa mple.com/s3cret']) {
      expect(JSON.stringify(parseEndpointUrl(text, inCloud))).not.toContain('s3cret')
    }
  })
})
