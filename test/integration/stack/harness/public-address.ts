/**
 * A public unicast address, as the address guard demands of an endpoint; the preload carries it to loopback. Once that
 * of example.com, so that no host of anybody's business is named.
 */
export const publicAddress = '93.184.216.34'
export const loopbackAddress = '127.0.0.1'
