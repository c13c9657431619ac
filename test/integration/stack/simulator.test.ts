import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Match } from 'aws-cdk-lib/assertions'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { keyArn, onlyResource, type SimulatorStack, synthesizeSimulator } from './simulator-stack.ts'

const anyLogicalId = Match.stringLikeRegexp('^Simulator')
describe("the simulator's resources", () => {
  let made: SimulatorStack
  beforeAll(async () => {
    made = await synthesizeSimulator()
  })
  afterAll(() => made[Symbol.asyncDispose]())

  it('are all that it takes, and cdk-nag finds nothing in them', async () => {
    const types = Object.values(made.template.toJSON()['Resources']).map(
      resource => z.object({ Type: z.string() }).parse(resource).Type,
    )
    expect(types.sort()).toEqual([
      'AWS::IAM::Policy',
      'AWS::IAM::Role',
      'AWS::Lambda::Function',
      'AWS::Lambda::Permission',
      'AWS::Lambda::Permission',
      'AWS::Lambda::Url',
      'AWS::Logs::LogGroup',
      'AWS::SecretsManager::ResourcePolicy',
      'AWS::SecretsManager::Secret',
    ])
    const report = await readFile(join(made.outdir, 'validation-report.json'), 'utf8').catch(() => '{}')
    expect(z.object({ pluginReports: z.array(z.unknown()).default([]) }).parse(JSON.parse(report))).toEqual({
      pluginReports: [],
    })
  })

  it('let anyone call the URL, by both actions that a new one needs, and the function only through it', () => {
    made.template.hasResourceProperties('AWS::Lambda::Url', { AuthType: 'NONE', InvokeMode: 'BUFFERED' })
    const permissions = Object.values(made.template.findResources('AWS::Lambda::Permission'))
    const granted = permissions.map(permission => {
      const { FunctionName: _, ...properties } = z
        .object({ Properties: z.record(z.string(), z.unknown()) })
        .parse(permission).Properties
      return properties
    })
    expect(granted).toHaveLength(2)
    expect(granted).toContainEqual({
      Action: 'lambda:InvokeFunctionUrl',
      FunctionUrlAuthType: 'NONE',
      Principal: '*',
    })
    expect(granted).toContainEqual({
      Action: 'lambda:InvokeFunction',
      InvokedViaFunctionUrl: true,
      Principal: '*',
    })
    expect(made.url).toEqual({ 'Fn::GetAtt': [expect.stringMatching(/^SimulatorFunction/), 'FunctionUrl'] })
  })

  it('may read the one secret, write to the one log, and nothing else', () => {
    made.template.hasResourceProperties('AWS::IAM::Policy', {
      PolicyDocument: {
        Statement: [
          { Action: 'secretsmanager:GetSecretValue', Effect: 'Allow', Resource: { Ref: anyLogicalId } },
          {
            Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
            Effect: 'Allow',
            Resource: { 'Fn::GetAtt': [anyLogicalId, 'Arn'] },
          },
        ],
      },
    })
    made.template.hasResourceProperties('AWS::IAM::Role', { ManagedPolicyArns: Match.absent() })
  })

  it('have a token under the name by which the poller finds that of the source "simulator"', () => {
    made.template.hasResourceProperties('AWS::SecretsManager::Secret', {
      Name: 'bridge/token-simulator',
      GenerateSecretString: { PasswordLength: 64, ExcludePunctuation: true },
    })
    made.template.hasResourceProperties('AWS::SecretsManager::ResourcePolicy', {
      ResourcePolicy: {
        Statement: [
          Match.objectLike({
            Action: 'secretsmanager:*',
            Effect: 'Deny',
            Principal: { AWS: '*' },
            Condition: { Bool: { 'aws:SecureTransport': 'false' } },
          }),
        ],
      },
    })
  })

  it('leave nothing behind that would be in the way of the next ones', () => {
    for (const type of ['AWS::SecretsManager::Secret', 'AWS::Logs::LogGroup']) {
      expect(onlyResource(made.template, type)).toMatchObject({
        DeletionPolicy: 'Delete',
        UpdateReplacePolicy: 'Delete',
      })
    }
  })

  it('reserve no concurrency, which new accounts refuse', () => {
    made.template.hasResourceProperties('AWS::Lambda::Function', {
      FunctionName: 'bridge-simulator',
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      ReservedConcurrentExecutions: Match.absent(),
    })
    made.template.hasResourceProperties('AWS::Logs::LogGroup', {
      LogGroupName: '/bridge/simulator',
      RetentionInDays: 30,
    })
  })

  it('with a key of your own, encrypt secret and log with it, and may decrypt for Secrets Manager only', async () => {
    await using withKey = await synthesizeSimulator({ withKey: true })
    const { template } = withKey
    template.hasResourceProperties('AWS::SecretsManager::Secret', { KmsKeyId: keyArn })
    template.hasResourceProperties('AWS::Logs::LogGroup', { KmsKeyId: keyArn })
    template.hasResourceProperties('AWS::IAM::Policy', {
      PolicyDocument: {
        Statement: Match.arrayWith([
          {
            Action: 'kms:Decrypt',
            Effect: 'Allow',
            Resource: keyArn,
            Condition: {
              StringEquals: {
                'kms:ViaService': {
                  'Fn::Join': ['', ['secretsmanager.', { Ref: 'AWS::Region' }, '.amazonaws.com']],
                },
              },
            },
          },
        ]),
      },
    })
  })

  it('are refused at synth with variables that the function would refuse', async () => {
    await expect(synthesizeSimulator({ variables: { SIMULATOR_FAULT: 'slow:0.1' } })).rejects.toMatchObject({
      code: 'simulator_settings',
    })
  })
})
