import { Annotations, Stack } from 'aws-cdk-lib'
import { type ISubnet, SecurityGroup, Subnet, Vpc } from 'aws-cdk-lib/aws-ec2'
import { Key } from 'aws-cdk-lib/aws-kms'
import type { Construct } from 'constructs'
import type { Network } from './bridge-function.ts'
import { Dispatcher } from './dispatcher.ts'
import { Monitoring } from './monitoring/monitoring.ts'
import { namesOf } from './names.ts'
import { addOutputs } from './outputs.ts'
import { Poller } from './poller.ts'
import { Releaser } from './releaser.ts'
import { Schedules } from './schedules.ts'
import type { StackSettings } from './settings.ts'
import { SimulatorService } from './simulator.ts'
import { State } from './state.ts'

/** The bridge in one account and region; which ones, the deployer's credentials say. */
export class BridgeStack extends Stack {
  constructor(scope: Construct, settings: StackSettings) {
    const names = namesOf(settings.prefix)
    super(scope, names.stack, {
      description: "Turns an email service's bounces and complaints into signed webhook events",
    })
    const encryptionKey =
      settings.kmsKeyArn === undefined ? null : Key.fromKeyArn(this, 'Key', settings.kmsKeyArn)
    const state = new State(this, 'State', { names, settings, encryptionKey })
    const surroundings = { names, settings, state, network: networkOf(this, settings), encryptionKey }
    const poller = new Poller(this, 'Poller', surroundings)
    const dispatcher = new Dispatcher(this, 'Dispatcher', surroundings)
    const releaser = new Releaser(this, 'Releaser', surroundings)
    new Schedules(this, 'Schedules', {
      names,
      pollEverySeconds: settings.pollEverySeconds,
      poller: poller.lambda,
      releaser: releaser.lambda,
      failedRuns: state.queues.failedRuns,
      encryptionKey,
    })
    const functions = { poller, dispatcher, releaser }
    const monitoring = new Monitoring(this, 'Monitoring', {
      prefix: settings.prefix,
      settings,
      functions: { poller: poller.lambda, dispatcher: dispatcher.lambda, releaser: releaser.lambda },
      logGroups: { poller: poller.logGroup, dispatcher: dispatcher.logGroup, releaser: releaser.logGroup },
      queues: state.queues,
      table: state.table,
      scheduleGroupName: names.scheduleGroup,
      encryptionKey,
    })
    const simulator = settings.simulator
      ? new SimulatorService(this, 'Simulator', {
          prefix: settings.prefix,
          logRetention: settings.logRetentionDays,
          encryptionKey,
        })
      : null
    addOutputs(this, { names, state, functions, monitoring, simulator })
  }
}

/** By ids alone: a look-up would need an account. */
const networkOf = (scope: Construct, settings: StackSettings): Network | null => {
  const { vpcId, subnetIds, securityGroupIds } = settings
  if (vpcId === undefined || subnetIds === undefined || securityGroupIds === undefined) return null
  return {
    // Zones are asked for and used for nothing: the functions are given their subnets.
    vpc: Vpc.fromVpcAttributes(scope, 'Vpc', { vpcId, availabilityZones: ['unknown'] }),
    subnets: subnetIds.map(id => subnetOf(scope, id)),
    securityGroups: securityGroupIds.map(id =>
      SecurityGroup.fromSecurityGroupId(scope, id, id, { mutable: false }),
    ),
  }
}

const subnetOf = (scope: Construct, id: string): ISubnet => {
  const subnet = Subnet.fromSubnetId(scope, id, id)
  // Nothing here asks for its routes.
  Annotations.of(subnet).acknowledgeWarning('@aws-cdk/aws-ec2:noSubnetRouteTableId')
  return subnet
}
