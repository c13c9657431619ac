import * as z from 'zod'
import { exitNotConfirmed, isConfirmed } from './asking.ts'
import { defineCommand } from './command.ts'
import { carryOut } from './declared/carry-out.ts'
import { loadDeclared } from './declared/load-file.ts'
import { type MissingSecrets, missingSecrets } from './declared/missing-secrets.ts'
import { countSteps, type Plan, planOf } from './declared/plan.ts'
import { refuseForbidden } from './declared/refusals.ts'
import { planJson, renderPlan, renderSummary } from './declared/render-plan.ts'
import { checkAllowPrivate } from './endpoint/check-url.ts'
import { allowPrivateFlag } from './endpoint/inputs.ts'
import { derivedSecret } from './endpoint/signing-secret.ts'
import { type ExitCode, exitDone, exitInterrupted } from './exit-codes.ts'
import { needed, toggle } from './input.ts'
import { counted } from './output/texts.ts'
import { type Session, show } from './session.ts'
import type { OperatorBridge } from './target/operator-bridge.ts'

export const applyCommand = defineCommand({
  name: 'apply',
  summary: 'Make sources and endpoints as a file declares them',
  details: `The file is checked as a whole, and every problem is told with its line; then the plan is shown and carried out. The
same file again changes nothing. bridge export writes one. Settings have the names of the flags of source add and
endpoint add; one that is left out has its default, but for paused and disabled, which stay as they are.

What is in the bridge and not in the file is named and left alone; --prune removes it, after asking, by the rules of
source remove and endpoint remove. Of a section that the file does not have, nothing is removed. The file holds no
secrets: a new source gets its token by bridge source token, and an endpoint that names a scheme of authorization gets
what it is asked with by bridge endpoint authorization. A header without a value keeps the one that it has.`,
  examples: [
    { line: 'bridge apply -f bridge.yaml --dry-run', text: 'Shows the plan, and does nothing.' },
    { line: 'bridge apply --file bridge.yaml --stack feedback-bridge' },
    { line: 'bridge apply --file bridge.yaml --prune --yes' },
  ],
  confirms: true,
  input: z.object({
    file: needed(z.string().min(1, { error: 'must name a file' }), {
      value: 'FILE',
      short: 'f',
      text: 'a YAML or JSON file; - is standard input',
    }),
    'dry-run': toggle('show the plan, and do nothing'),
    prune: toggle('remove what the file does not have'),
    'show-secrets': toggle(
      "show the signing secrets of new endpoints, for their receivers; otherwise they aren't",
    ),
    'allow-private-endpoints': allowPrivateFlag,
    'skip-dns': toggle('take URLs whose hosts have no address yet'),
  }),
  run: async (input, session) => {
    const declared = await loadDeclared(input.file, session)
    const isDryRun = input['dry-run'] === true
    const allowPrivate = input['allow-private-endpoints'] === true
    const bridge = await session.open({ make: !isDryRun })
    checkAllowPrivate(bridge.target, allowPrivate)
    const [sources, endpoints] = await Promise.all([bridge.sources.list(), bridge.endpoints.list()])
    const current = { sources, endpoints }
    const plan = planOf(declared, current, { prune: input.prune === true })
    const skipDns = input['skip-dns'] === true
    await refuseForbidden(plan, bridge, {
      allowPrivate,
      skipDns,
      nowMs: session.clock.now(),
      declared,
      current,
    })
    const shown = renderPlan(session.io.look, plan)
    if (!session.json && shown !== '') session.io.out(shown)
    if (isDryRun) {
      return answer(session, plan, {
        isDryRun,
        missing: { ...(await missingSecrets(plan, bridge)), tokens: [] },
        signingSecrets: {},
      })
    }

    const { remove } = countSteps(plan)
    const question = `Remove ${counted(remove, 'source or endpoint', 'sources and endpoints')} for good?`
    if (remove > 0 && !(await isConfirmed(session, question))) return exitNotConfirmed
    const { taken, complete } = await carryOut(plan, bridge, {
      signal: session.signal,
      nowMs: session.clock.now(),
    })
    if (!complete) {
      session.io.note(`Interrupted after ${counted(taken, 'step')}; the same command goes on.`)
      return exitInterrupted
    }
    const missing = await missingSecrets(plan, bridge)
    const signingSecrets = input['show-secrets'] === true ? await newSecrets(plan, bridge) : {}
    return answer(session, plan, { isDryRun, missing, signingSecrets })
  },
})

const newSecrets = async (plan: Plan, bridge: OperatorBridge): Promise<Record<string, string>> => {
  const secrets: Record<string, string> = {}
  for (const step of plan.endpoints) {
    const [key] = step.kind === 'create' ? step.to.keys : []
    if (key === undefined) continue
    secrets[step.id] = await derivedSecret(bridge, { endpointId: step.id, keyVersion: key.version })
  }
  return secrets
}

type Outcome = {
  isDryRun: boolean
  missing: MissingSecrets
  signingSecrets: Readonly<Record<string, string>>
}

const answer = (session: Session, plan: Plan, { isDryRun, missing, signingSecrets }: Outcome): ExitCode => {
  const isShown = Object.keys(signingSecrets).length > 0
  show(session, {
    json: () => ({
      dryRun: isDryRun,
      ...planJson(plan),
      tokensMissing: missing.tokens,
      authorizationsMissing: missing.authorizations.map(({ id }) => id),
      ...(isShown && { signingSecrets }),
    }),
    text: ({ colors }) =>
      [
        renderSummary(plan, { isDryRun }),
        ...Object.entries(signingSecrets).map(
          ([id, secret]) =>
            `Signing secret of ${id}, for its receiver; it is not shown again:\n  ${colors.bold(secret)}`,
        ),
      ].join('\n'),
  })
  for (const { id, scheme } of missing.authorizations) {
    session.io.note(
      `The endpoint ${id} has no ${scheme} authorization yet: bridge endpoint authorization ${id} --${scheme}`,
    )
  }
  for (const id of missing.tokens) {
    session.io.note(`The source ${id} has no API token yet: bridge source token ${id}`)
  }
  const isAdded = plan.endpoints.some(({ kind }) => kind === 'create')
  if (isAdded && !isDryRun && !isShown) {
    session.io.note(
      'Signing secrets of new endpoints were not shown: bridge endpoint rotate-secret ID makes and shows one.',
    )
  }
  return exitDone
}
