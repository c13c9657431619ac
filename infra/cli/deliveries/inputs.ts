import { type DeliveryState, deliveryStates } from '../../../shared/domain/delivery/delivery.ts'
import { argument, optional } from '../input.ts'
import { checked, idValue, listOf } from '../values.ts'

export const endpointArgument = argument(idValue, { value: 'ENDPOINT', text: "the endpoint's id" })

const isState = (text: string): text is DeliveryState => deliveryStates.some(state => state === text)

const statesValue = checked<DeliveryState[]>(text => {
  const words = listOf(text)
  const states = words.filter(isState)
  if (states.length === words.length) return { value: states }
  return { problem: `must be ${deliveryStates.join(', ')}, or several of them with commas between` }
})

/** `states`: those that the command is for, as its help names them. */
export const statesFlag = (states: readonly DeliveryState[]) =>
  optional(statesValue, { value: 'LIST', text: `in these states alone: ${states.join(', ')}` })
