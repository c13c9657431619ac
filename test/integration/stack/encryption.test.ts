import { expect, test } from 'vitest'
import { everySetting, ofType, synthTemplate } from './support/synth-template.ts'

const key = everySetting.kmsKeyArn
const full = synthTemplate(everySetting)
const propertiesOf = (type: string) => ofType(full, type).map(({ Properties }) => Properties)

test('a key of yours encrypts the table', () => {
  expect(propertiesOf('AWS::DynamoDB::Table').map(({ SSESpecification }) => SSESpecification)).toEqual([
    { SSEEnabled: true, SSEType: 'KMS', KMSMasterKeyId: key },
  ])
})

test('a key of yours encrypts every queue', () => {
  const queues = propertiesOf('AWS::SQS::Queue')
  expect(queues.map(({ KmsMasterKeyId }) => KmsMasterKeyId)).toEqual([key, key, key, key])
  expect(queues.filter(queue => 'SqsManagedSseEnabled' in queue)).toEqual([])
})

test('a key of yours encrypts every secret and every log', () => {
  const secrets = propertiesOf('AWS::SecretsManager::Secret')
  const logs = propertiesOf('AWS::Logs::LogGroup')
  // The simulator's are among them.
  expect(secrets.map(({ KmsKeyId }) => KmsKeyId)).toEqual([key, key])
  expect(logs.map(({ KmsKeyId }) => KmsKeyId)).toEqual([key, key, key, key])
})
