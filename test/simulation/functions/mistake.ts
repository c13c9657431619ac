import type { HandlerDeps as DispatcherDeps } from '../../../functions/dispatcher/handler.ts'
import type { PollerHandlerDeps } from '../../../functions/poller/handler.ts'
import type { HandlerDeps as ReleaserDeps } from '../../../functions/releaser/handler.ts'
import type { Process } from '../engine/process.ts'
import type { World } from './world.ts'

type Surroundings = { process: Process; world: World }

/** What a deliberate mistake changes of what a function works with: the code itself stays. */
export type Mistake = {
  poller?: (deps: PollerHandlerDeps, of: Surroundings) => PollerHandlerDeps
  dispatcher?: (deps: DispatcherDeps, of: Surroundings) => DispatcherDeps
  releaser?: (deps: ReleaserDeps, of: Surroundings) => ReleaserDeps
}

export const noMistake: Mistake = {}
