import { Command, InvalidArgumentError } from 'commander'

const wrongUse = 2

/** A command with `--help`, whose wrong flags are told in a line, with exit code 2. */
export const commandLine = (name: string, about: string): Command =>
  new Command(name)
    .description(about)
    .allowExcessArguments(false)
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : wrongUse))

/** A flag's whole number of at least 1. */
export const wholeNumber = (text: string): number => {
  const number = Number(text)
  if (text.trim() === '' || !Number.isSafeInteger(number) || number < 1) {
    throw new InvalidArgumentError('It must be a whole number of at least 1.')
  }
  return number
}
