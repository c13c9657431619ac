import { ArnFormat, Stack } from 'aws-cdk-lib'
import { AnyPrincipal, Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam'
import type { Construct } from 'constructs'
import { secretNamePrefixes } from '../../shared/domain/secret-store.ts'

export type SecretKind = keyof typeof secretNamePrefixes
type SecretsOfKinds = { secretPrefix: string; kinds: readonly SecretKind[] }

/**
 * Reading the secrets of some kinds: their names begin with these. The dash and six characters that end an ARN are not asked
 * for: AWS does not say which ARN it goes by where there is no such secret. Who may not read by the bare name could be
 * told "denied" in place of "missing", and deliveries would be tried for a day, as after a fault of ours, not held.
 */
export const readSecrets = (scope: Construct, { secretPrefix, kinds }: SecretsOfKinds): PolicyStatement =>
  new PolicyStatement({
    sid: 'ReadSecrets',
    actions: ['secretsmanager:GetSecretValue'],
    resources: kinds.map(kind =>
      Stack.of(scope).formatArn({
        service: 'secretsmanager',
        resource: 'secret',
        arnFormat: ArnFormat.COLON_RESOURCE_NAME,
        resourceName: secretNamePattern(secretPrefix, kind),
      }),
    ),
  })

const secretNamePattern = (secretPrefix: string, kind: SecretKind): string =>
  `${secretPrefix}${secretNamePrefixes[kind]}*`

/** Why `readSecrets` has wildcards, for whoever grants it. */
export const secretsFindings = ({ secretPrefix, kinds }: SecretsOfKinds) =>
  kinds.map(kind => ({
    id: `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:secretsmanager:<AWS::Region>:<AWS::AccountId>:secret:${secretNamePattern(secretPrefix, kind)}]`,
    reason: `Operators add secrets at any time: their names begin with ${secretPrefix}${secretNamePrefixes[kind]}, and no other kind's do.`,
  }))

/** For the resource policy of a secret. */
export const denyPlainHttp = (): PolicyStatement =>
  new PolicyStatement({
    sid: 'DenyPlainHttp',
    effect: Effect.DENY,
    principals: [new AnyPrincipal()],
    actions: ['secretsmanager:*'],
    resources: ['*'],
    conditions: { Bool: { 'aws:SecureTransport': 'false' } },
  })
