import type { TableClientSettings } from '../../shared/adapters/dynamodb/document-client.ts'

/** Emulators want credentials and check none. */
export const localClientSettings = {
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
} as const satisfies TableClientSettings
