import { Command, Option } from 'commander'
import packageJson from '../../package.json' with { type: 'json' }

type FlagDefinition = { name: string; value: string | null; group: string; text: string }

const source = 'The source:'
const endpoints = 'The endpoints:'
const running = 'Running:'

const flag = (group: string, name: string, value: string | null, text: string): FlagDefinition => ({
  name,
  value,
  group,
  text,
})

/** Every flag of `npm start`; what each takes is checked in flags.ts. */
export const flagTable: readonly FlagDefinition[] = [
  flag(source, 'source-url', 'URL', 'scheme, host and port of the email service, as https://api.example.com'),
  flag(source, 'token', 'TOKEN', 'its API token; better in the environment, as BRIDGE_API_TOKEN'),
  flag(source, 'auth-scheme', 'SCHEME', 'how the token is sent: Token (default), Bearer or X-API-Key'),
  flag(source, 'path-prefix', 'PATH', 'what comes before /bounces and /fbl (default /api/v2)'),
  flag(source, 'page-size', 'N', 'records a page, 1 to 1000; sent only if given'),
  flag(source, 'include-soft', null, 'soft and expired bounces as well as hard ones'),
  flag(
    source,
    'start-at',
    'TIME',
    'where the first start begins: latest (default), earliest, or an ISO time',
  ),
  flag(source, 'poll-every', 'SECONDS', 'between two polls of a stream (default 5)'),
  flag(
    source,
    'overlap',
    'SECONDS',
    'how late a record may become visible and still be found at once (default 120)',
  ),
  flag(source, 'requests-per-minute', 'N', "the service's limit; 80 % of it is used (default 60)"),
  flag(endpoints, 'endpoint', 'URL', 'where events are sent; repeat it for more than one'),
  flag(
    endpoints,
    'secret',
    'WHSEC',
    'signs what is sent: once for all endpoints, or once for each, in their order. Without it the bridge makes one ' +
      'for each endpoint and keeps it in the data folder, in signing-secrets.json',
  ),
  flag(
    endpoints,
    'types',
    'LIST',
    'types of event to send, as email.bounce.hard,email.complaint or email.* (default *)',
  ),
  flag(
    endpoints,
    'retry-schedule',
    'LIST',
    'waits after each failed attempt, as 1s,5m,2h; after the last one, dead letter (default 5s,5m,30m,2h,5h,10h,14h,20h,24h)',
  ),
  flag(endpoints, 'deadline', 'SECONDS', 'for one attempt, from DNS to the end of the answer (default 15)'),
  flag(endpoints, 'allow-private-endpoints', null, 'http, and addresses of this machine and its network'),
  flag(running, 'data', 'DIR', 'where the state is kept between runs (default .bridge)'),
  flag(running, 'once', null, 'end once all is read and delivered, held or dead; 0 if all went well, else 1'),
  flag(running, 'json', null, 'one JSON object a line on stdout for each thing that happens'),
]

/** Those that name a source or an endpoint; without any, what the data folder has is run. */
export const namingFlags: ReadonlySet<string> = new Set([
  ...flagTable.flatMap(({ group, name }) => (group === source ? [name] : [])),
  ...['endpoint', 'secret', 'types'],
])

const examples = `
Examples:
  npm start
      The demo: a simulated service, the bridge, and a receiver that verifies every signature.
  npm start -- --data DIR
      What the folder has: the sources and endpoints that bridge source add and bridge endpoint add gave it.
  BRIDGE_API_TOKEN=... npm start -- --source-url https://api.example.com --endpoint https://example.com/webhooks
  npm start -- --source-url https://api.example.com --token ... --include-soft --start-at earliest \\
      --endpoint https://example.com/webhooks --secret whsec_... --types email.bounce.*,email.complaint
  npm start -- --source-url http://127.0.0.1:8025 --token simulator-token --start-at earliest --once --json \\
      --endpoint http://127.0.0.1:3000/ --allow-private-endpoints

Exit codes: 0 done, or stopped by Ctrl-C; 1 a dead letter, or a source that refuses or fails (--once); 2 wrong flags or
data folder; 130 stopped by a second Ctrl-C, or --once before it was done.`

/** A flag's name on the command line. */
export const spelled = (name: string): string => `--${name}`

/** An argument as the flag that it may have been meant for; null where it may be a secret that begins with a hyphen. */
export const flagMeant = (arg: string): string | null =>
  /^(?:-[a-z]|--[a-z][a-z-]{1,39})(?=$|=)/.exec(arg)?.[0] ?? null

/** What is told of an argument that may be a secret. */
export const unnamedFlag =
  'something begins with a hyphen and is no flag (a value that does is written after the = of its flag)'

/** The name under which commander hands out a flag's value. */
export const attributeOf = (name: string): string =>
  name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())

const collect = (value: string, before: unknown): string[] => [
  ...(Array.isArray(before) ? before : []),
  value,
]

/**
 * The command. Values are optional and unknown flags allowed as far as commander is concerned, so that all problems
 * can be told at once; every value is collected, so that a flag given twice is noticed.
 */
export const buildCommand = (write: (text: string) => void): Command => {
  const command = new Command('npm start --')
    .usage('[flags]')
    .description(`${packageJson.description} Without flags: the demo.`)
    .version(packageJson.version, '--version', 'print the version')
    .helpOption('--help', 'print this')
    .addHelpText('after', examples)
    .allowUnknownOption()
    .allowExcessArguments()
    .exitOverride()
    .configureOutput({ writeOut: write, writeErr: write })
    // To commander values are optional, to people they are not.
    .configureHelp({ optionTerm: option => option.flags.replace(/\[(.+)\]/, '<$1>') })
  for (const { name, value, group, text } of flagTable) {
    const option = new Option(value === null ? spelled(name) : `${spelled(name)} [${value}]`, text)
    if (value !== null) option.argParser(collect)
    command.addOption(option.helpGroup(group))
  }
  return command
}
