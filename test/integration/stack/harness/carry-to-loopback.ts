/**
 * Preloaded into a function's process: sockets to the one public test address are opened to loopback, at the same port.
 * It acts behind the address guard, on the socket itself, and the certificate is still checked against the public
 * address. Everything else stays as it is.
 */
import { Socket } from 'node:net'
import { loopbackAddress, publicAddress } from './public-address.ts'

const connect = Socket.prototype.connect

const carried = (argument: unknown): unknown => {
  // Node hands on arguments that it has normalized already as one array.
  if (Array.isArray(argument)) return Object.assign(argument, { 0: carried(argument[0]) })
  const isTarget =
    typeof argument === 'object' && argument !== null && 'host' in argument && argument.host === publicAddress
  return isTarget ? { ...argument, host: loopbackAddress } : argument
}

Object.defineProperty(Socket.prototype, 'connect', {
  configurable: true,
  writable: true,
  value: function (this: Socket, ...given: readonly unknown[]) {
    return Reflect.apply(connect, this, given.map(carried))
  },
})
