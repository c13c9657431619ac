// What our code uses of undici, for the bundles alone: its index is CommonJS and loads fetch, WebSocket, EventSource,
// mocks and caches with it, 260 KB that no bundler can drop. undici has no `exports`, so its files can be named; one
// that moves in another release fails at synth, never later. The paths are relative since the alias that leads here
// catches `undici/lib/…` as well.
import request from '../../node_modules/undici/lib/api/api-request.js'
import Dispatcher from '../../node_modules/undici/lib/dispatcher/dispatcher.js'

// undici's index does so with its whole API.
Dispatcher.prototype.request = request

export { default as buildConnector } from '../../node_modules/undici/lib/core/connect.js'
export { default as errors } from '../../node_modules/undici/lib/core/errors.js'
export { default as Agent } from '../../node_modules/undici/lib/dispatcher/agent.js'
export { default as Client } from '../../node_modules/undici/lib/dispatcher/client.js'
