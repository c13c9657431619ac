/**
 * CDK's feature flags that touch what this stack uses, set in code so that tests and `cdk` see the same. The other
 * recommended ones make no difference to the template (tried one by one with CDK 2.276, with every setting given);
 * an upgrade must not switch any on by itself.
 */
export const featureFlags = {
  // The template is always checked against the schemas of CloudFormation; with this, what is wrong ends the synth.
  '@aws-cdk/core:validateAgainstDefaultRules': true,
  // What constructs warn of stands in the same report.
  '@aws-cdk/core:annotationsInValidationReport': true,
  // The value of a secret does not get into the template by mistake.
  '@aws-cdk/core:checkSecretUsage': true,
  // What a policy lists is sorted, so that another order in the code is no change of the stack.
  '@aws-cdk/aws-iam:minimizePolicies': true,
} as const
