import * as z from 'zod'
import { eventLifeDays } from '../../../shared/domain/polling/event-log.ts'
import { defineCommand } from '../command.ts'
import { exitDone } from '../exit-codes.ts'
import { CommandError, UsageError } from '../failures.ts'
import { toggle } from '../input.ts'
import { show } from '../session.ts'
import { eventIdArgument } from './inputs.ts'
import { renderStory, storyJson } from './render-story.ts'
import { readStory } from './story.ts'

export const showEvent = defineCommand({
  name: 'show',
  summary:
    "An event's whole story: when it was read and enqueued, and each endpoint's attempts with their answers",
  details: `Shows the recipient's address. Of a delivery the last five attempts are kept; of one that succeeded at once, only when.
With --body, nothing but the JSON text that is signed and sent, byte for byte.`,
  examples: [
    { line: 'bridge events show evt_01K5M3V8Q00123456789ABCDEF' },
    { line: 'bridge events show evt_01K5M3V8Q00123456789ABCDEF --body' },
  ],
  input: z.object({ id: eventIdArgument, body: toggle('only the text that is signed and sent') }),
  run: async ({ id, body }, session) => {
    if (body && session.json) throw new UsageError(['--body and --json: give one of them'])
    const bridge = await session.open()
    const story = await readStory(bridge, id)
    if (story === null) throw eventMissing()
    if (body) {
      if (story.event.body === null) throw eventForgotten()
      session.io.out(story.event.body)
    } else {
      const nowMs = session.clock.now()
      show(session, { json: () => storyJson(story), text: look => renderStory(look, story, nowMs) })
    }
    return exitDone
  },
})

const eventForgotten = (): CommandError =>
  new CommandError({
    code: 'event_forgotten',
    message: "the event's recipient was forgotten: there is no text any more",
    hint: 'Without --body, what is left of it is shown.',
  })

export const eventMissing = (): CommandError =>
  new CommandError({
    code: 'event_missing',
    message: 'the event log has no event of this id',
    hint: `It keeps events for ${eventLifeDays} days. bridge events list shows those that there are.`,
  })
