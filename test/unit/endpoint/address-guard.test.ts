import { describe, expect, test } from 'vitest'
import { addressVerdict } from '../../../shared/domain/endpoint/address-guard.ts'

const inCloud = { allowPrivate: false }
const onLaptop = { allowPrivate: true }

const publicAddresses = [
  '8.8.8.8',
  '93.184.215.14',
  '172.15.255.255',
  '172.32.0.1',
  '100.63.255.255',
  '100.128.0.1',
  '2606:4700::6810:84e5',
  '2a00:1450:4001:80b::200e',
  '::ffff:8.8.8.8',
  '::ffff:808:808',
  '64:ff9b::8.8.8.8',
  '2002:808:808::1',
]

/** Refused in the cloud, open to a laptop's flag. */
const laptopAddresses = [
  ['127.0.0.1', 'loopback'],
  ['127.255.255.254', 'loopback'],
  ['::1', 'loopback'],
  ['0:0:0:0:0:0:0:1', 'loopback'],
  ['10.0.0.1', 'private'],
  ['172.16.0.1', 'private'],
  ['172.31.255.255', 'private'],
  ['192.168.1.1', 'private'],
  ['fc00::1', 'unique_local'],
  ['fd12:3456:789a::1', 'unique_local'],
  ['::ffff:127.0.0.1', 'loopback'],
  ['::ffff:7f00:1', 'loopback'],
  ['::ffff:10.1.2.3', 'private'],
  ['2130706433', 'loopback'],
  ['0x7f000001', 'loopback'],
  ['0x7f.1', 'loopback'],
  ['0177.0.0.1', 'loopback'],
  ['127.1', 'loopback'],
] as const

/** Refused everywhere. */
const refusedAddresses = [
  ['0.0.0.0', 'unspecified'],
  ['0.1.2.3', 'unspecified'],
  ['::', 'unspecified'],
  ['169.254.169.254', 'link_local'],
  ['169.254.0.1', 'link_local'],
  ['::ffff:169.254.169.254', 'link_local'],
  ['fe80::1', 'link_local'],
  ['fd00:ec2::254', 'cloud_metadata'],
  ['fd00:ec2::23', 'cloud_metadata'],
  ['100.64.0.1', 'carrier_grade_nat'],
  ['100.127.255.255', 'carrier_grade_nat'],
  ['224.0.0.1', 'multicast'],
  ['239.255.255.255', 'multicast'],
  ['ff02::1', 'multicast'],
  ['255.255.255.255', 'broadcast'],
  ['240.0.0.1', 'reserved'],
  ['192.0.0.1', 'reserved'],
  ['192.0.2.1', 'reserved'],
  ['198.51.100.1', 'reserved'],
  ['203.0.113.1', 'reserved'],
  ['198.18.0.1', 'reserved'],
  ['198.19.255.255', 'reserved'],
  ['192.88.99.1', 'reserved'],
  ['2001:db8::1', 'reserved'],
  ['3fff::1', 'reserved'],
  ['2001:2::1', 'reserved'],
  ['100::1', 'reserved'],
  ['fec0::1', 'reserved'],
  ['4000::1', 'reserved'],
  ['::127.0.0.1', 'reserved'],
  ['::8.8.8.8', 'reserved'],
  ['::ffff:0:127.0.0.1', 'reserved'],
  ['2001::1', 'reserved'],
  ['2001:0:7f00:1::', 'reserved'],
  ['64:ff9b::7f00:1', 'nat64'],
  ['64:ff9b::127.0.0.1', 'nat64'],
  ['64:ff9b::169.254.169.254', 'nat64'],
  ['64:ff9b::10.0.0.1', 'nat64'],
  ['64:ff9b:1::8.8.8.8', 'nat64'],
  ['64:ff9b:1:ffff::1', 'nat64'],
  ['2002:7f00:1::1', '6to4'],
  ['2002:a00:1::1', '6to4'],
  ['2002:a9fe:a9fe::', '6to4'],
  ['fe80::1%eth0', 'not_an_address'],
  ['2606:4700::1%eth0', 'not_an_address'],
  ['example.com', 'not_an_address'],
  ['256.1.1.1', 'not_an_address'],
  ['', 'not_an_address'],
] as const

describe('in the cloud', () => {
  test.each(publicAddresses)('the public address %s is allowed', address => {
    expect(addressVerdict(address, inCloud)).toEqual({ allowed: true })
  })

  test.each([...laptopAddresses, ...refusedAddresses])('%s is refused as %s', (address, range) => {
    expect(addressVerdict(address, inCloud)).toEqual({ allowed: false, range })
  })
})

describe('on a laptop that allows private addresses', () => {
  test.each(laptopAddresses.map(([address]) => address))('%s is allowed', address => {
    expect(addressVerdict(address, onLaptop)).toEqual({ allowed: true })
  })

  test.each(refusedAddresses)('%s is refused all the same, as %s', (address, range) => {
    expect(addressVerdict(address, onLaptop)).toEqual({ allowed: false, range })
  })
})
