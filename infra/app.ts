import { createApp } from './stack/create-app.ts'
import { SettingsError } from './stack/settings.ts'

try {
  createApp().synth()
} catch (error) {
  if (!(error instanceof SettingsError)) throw error
  console.error(`${error.message}\n${error.hint}`)
  process.exitCode = 1
}
