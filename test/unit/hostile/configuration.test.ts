import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dispatcherEnvironment } from '../../../functions/dispatcher/config.ts'
import { pollerEnvironment } from '../../../functions/poller/config.ts'
import { releaserEnvironment } from '../../../functions/releaser/config.ts'
import { parseSettings, SettingsError, settingTable } from '../../../infra/stack/settings.ts'
import { EnvironmentError, readEnvironment } from '../../../shared/adapters/environment.ts'
import { anyText, anyValueText, inherited, objectText, prototypeKeys } from './hostile-json.ts'
import { markers, markersIn, wordsOfError } from './markers.ts'

const secretText = fc.constantFrom(...Object.values(markers))

const thrownBy = (act: () => unknown): unknown => {
  try {
    act()
    return null
  } catch (error) {
    return error
  }
}

describe('the environment of a function', () => {
  const schemas = [dispatcherEnvironment, pollerEnvironment, releaserEnvironment]
  const right: Readonly<Record<string, string>> = {
    TABLE_NAME: 'bridge',
    FAST_QUEUE_URL: 'https://sqs.eu-central-1.amazonaws.com/1/fast',
    SLOW_QUEUE_URL: 'https://sqs.eu-central-1.amazonaws.com/1/slow',
    DEAD_LETTERS_QUEUE_URL: 'https://sqs.eu-central-1.amazonaws.com/1/dead',
    FAST_QUEUE_ARN: 'arn:aws:sqs:eu-central-1:1:fast',
    SLOW_QUEUE_ARN: 'arn:aws:sqs:eu-central-1:1:slow',
    SECRET_PREFIX: 'bridge/',
    SERVICE_NAME: 'bridge',
    LOG_LEVEL: 'INFO',
    DEADLINE_MS: '15000',
    DISABLE_AFTER_MS: '432000000',
    POLL_EVERY_SECONDS: '5',
  }
  const names = Object.keys(right)

  test('of any values is read, or refused by one error with every variable that is wrong, and no value', () => {
    const value = fc.oneof(
      fc.constantFrom(...Object.values(right), '', ' ', '0', '-1', '1e9', '0x10', 'NaN', 'Infinity', '5.5'),
      anyText,
      secretText,
      fc.constant(undefined),
    )
    const changed = fc.dictionary(fc.constantFrom(...names, ...prototypeKeys), value, { maxKeys: 8 })
    fc.assert(
      fc.property(fc.constantFrom(...schemas), changed, (schema, changes) => {
        const environment = { ...right, ...changes }
        const error = thrownBy(() => readEnvironment(schema, environment))
        // One at a time, beside what is right: so no problem hides another one.
        const wrong = Object.keys(schema.shape).filter(
          name => thrownBy(() => readEnvironment(schema, { ...right, [name]: environment[name] })) !== null,
        )
        if (error === null) {
          expect(wrong).toEqual([])
          return
        }
        expect(error).toBeInstanceOf(EnvironmentError)
        expect(markersIn(wordsOfError(error))).toEqual([])
        const told = error instanceof EnvironmentError ? error.message : ''
        expect(names.filter(name => new RegExp(`[ ;]${name} must`).test(told)).sort()).toEqual(wrong.sort())
      }),
      { numRuns: 1_000 },
    )
  })
})

describe('the context of the stack', () => {
  const names = settingTable.map(({ name }) => name)

  test('of any shape is settings, or one error with every problem; values of no setting are not told', () => {
    const before = inherited()
    const fields = fc.array(
      fc.oneof(
        fc.tuple(
          fc.constantFrom(...names),
          fc.oneof(
            anyValueText,
            fc.constantFrom(
              '"1"',
              '3',
              'true',
              '"retain"',
              '"a,b"',
              '"arn:aws:sns:eu-west-1:123456789012:t"',
            ),
          ),
        ),
        fc.tuple(
          fc.constantFrom('token', 'apiToken', 'prefx', '@aws-cdk/x', 'aws:cdk:y', ...prototypeKeys),
          secretText.map(text => JSON.stringify(text)),
        ),
      ),
      { maxLength: 6 },
    )
    fc.assert(
      fc.property(objectText(fields), text => {
        const context: unknown = JSON.parse(text)
        const given: Record<string, unknown> = Object.fromEntries(Object.entries(Object(context)))
        const error = thrownBy(() => parseSettings(given))
        if (error === null) return
        expect(error).toBeInstanceOf(SettingsError)
        expect(markersIn(wordsOfError(error))).toEqual([])
        const told = error instanceof SettingsError ? error.message.split('\n').slice(1) : []
        const unknown = Object.keys(given).filter(name => !names.includes(name) && !/[@:]/.test(name))
        for (const name of unknown)
          expect(told.filter(line => line.startsWith(`  ${name} is no setting`))).toHaveLength(1)
      }),
      { numRuns: 600 },
    )
    expect(inherited()).toEqual(before)
  })
})
