import { declareClassPlugin, declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin'
import { ignoreSentences } from './ignore-sentences.ts'
import { InProcessRunner } from './runner.ts'

/** What stryker.config.json names. */
export const strykerPlugins = [
  declareClassPlugin(PluginKind.TestRunner, 'in-process', InProcessRunner),
  declareValuePlugin(PluginKind.Ignore, 'sentences', ignoreSentences),
]
