import type { OperatorEvents } from '../../shared/domain/endpoint/operator-events.ts'

/** A local bridge has no bus: whoever runs it was told on the terminal, when the endpoint was disabled. */
export const toldOnTerminal: OperatorEvents = {
  tellDisabled: async endpoints => endpoints.map(() => ({ kind: 'known' })),
}
