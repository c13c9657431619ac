import { minuteMs } from '../../../shared/domain/time-units.ts'
import type { Measured } from './measure.ts'

/** What a run with a crash took more than the run without it. */
export type Cost = {
  /** Of the service. */
  requests: number
  /** Messages that were handed out. */
  messages: number
  /** POSTs of what the endpoint had taken. */
  duplicates: number
  /** POSTs that the endpoint did not take. */
  refused: number
  /** The operator was told again. */
  told: number
  /** Heartbeats that never came. */
  silent: number
  /** How much later an endpoint got something, at the most; 0 where that is not worth telling. */
  delaySeconds: number
}

/** Retries, batches and runs move by seconds when a process begins anew: a delay is what a person would notice. */
const delayMsMin = minuteMs

export const costOf = (crashed: Measured, usual: Measured): Cost => {
  const more = (of: (measured: Measured) => number): number => Math.max(0, of(crashed) - of(usual))
  return {
    requests: more(({ requests }) => requests),
    messages: more(({ messages }) => messages),
    duplicates: more(({ accepted }) => accepted),
    refused: more(({ attempts, accepted }) => attempts - accepted),
    told: more(({ told }) => told.length),
    silent: Math.max(0, usual.heartbeats - crashed.heartbeats),
    delaySeconds: delayOf(crashed, usual),
  }
}

/**
 * How much later an endpoint got its n-th event. Of several that wait for it, one is tried as a probe, another waits longer:
 * which one it is says nothing.
 */
const delayOf = (crashed: Measured, usual: Measured): number => {
  let most = 0
  const crashedTimes = timesByEndpoint(crashed)
  for (const [endpointId, times] of timesByEndpoint(usual)) {
    for (const [at, atMs] of times.entries()) {
      most = Math.max(most, (crashedTimes.get(endpointId)?.[at] ?? atMs) - atMs)
    }
  }
  return most < delayMsMin ? 0 : Math.round(most / 1_000)
}

const timesByEndpoint = ({ acceptedAtMs }: Measured): Map<string, number[]> => {
  const times = new Map<string, number[]>()
  for (const [name, atMs] of acceptedAtMs) {
    const endpointId = name.slice(0, name.indexOf(' '))
    times.set(endpointId, [...(times.get(endpointId) ?? []), atMs])
  }
  for (const all of times.values()) all.sort((one, other) => one - other)
  return times
}

export const isFree = (cost: Cost): boolean => Object.values(cost).every(count => count === 0)

/** The most of each. */
export const worstOf = (costs: readonly Cost[]): Cost => {
  const most = (of: (cost: Cost) => number): number => Math.max(0, ...costs.map(of))
  return {
    requests: most(({ requests }) => requests),
    messages: most(({ messages }) => messages),
    duplicates: most(({ duplicates }) => duplicates),
    refused: most(({ refused }) => refused),
    told: most(({ told }) => told),
    silent: most(({ silent }) => silent),
    delaySeconds: most(({ delaySeconds }) => delaySeconds),
  }
}

/** Deliveries that only one of the two runs made, and what the operator was told in one only. */
export const differencesOf = (crashed: Measured, usual: Measured): string[] => {
  const delivered = [crashed, usual].map(({ acceptedAtMs }) => new Set(acceptedAtMs.keys()))
  const told = [crashed, usual].map(({ told: endpointIds }) => new Set(endpointIds))
  return [...differing(delivered, 'is delivered'), ...differing(told, 'is told to be disabled')]
}

const differing = ([crashed = new Set(), usual = new Set()]: Set<string>[], what: string): string[] => [
  ...[...usual]
    .filter(name => !crashed.has(name))
    .map(name => `${name} ${what} in the run without the crash only`),
  ...[...crashed]
    .filter(name => !usual.has(name))
    .map(name => `${name} ${what} in the run with the crash only`),
]
