import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Stage } from 'aws-cdk-lib'
import { type BundlingOptions, LogLevel, OutputFormat, SourceMapMode } from 'aws-cdk-lib/aws-lambda-nodejs'
import type { Construct } from 'constructs'

export const projectRoot = fileURLToPath(new URL('../..', import.meta.url))

/** Where a bundle's source map is put, in the folder that is synthesized into. */
export const sourceMapFolder = (outdir: string, name: string): string =>
  join(resolve(outdir), 'source-maps', name)

/**
 * Of the four HTTP parsers that undici has, each 75 KB, the three that no Lambda function on arm64 loads: for
 * processors without SIMD, and for those who ask for Milo by an environment variable (undici 8,
 * lib/dispatcher/client-h1.js and parser-h1.js). They are asked for by these paths, and where that happens at all,
 * a test of the bundles fails.
 */
const unusedParsers = ['../llhttp/llhttp-wasm.js', '../milo/simd.js', '../milo/no-simd.js']

/**
 * The later links of the SDK's chain of credentials, each imported only when it is asked: Lambda has them in the
 * environment, which is the first link. They stay imports that nobody runs (130 KB less).
 */
const credentialsNeverAsked = [
  '@aws-sdk/credential-provider-http',
  '@aws-sdk/credential-provider-ini',
  '@aws-sdk/credential-provider-login',
  '@aws-sdk/credential-provider-process',
  '@aws-sdk/credential-provider-sso',
  '@aws-sdk/credential-provider-web-identity',
  '@aws-sdk/token-providers',
  '@smithy/credential-provider-imds',
]
/** A whole bundle of a function: one ES module with everything in it, and its source map elsewhere. */
export const bundlingOf = (scope: Construct, name: string): BundlingOptions => {
  const outdir = Stage.of(scope)?.outdir ?? '.'
  const maps = sourceMapFolder(outdir, name)
  return {
    format: OutputFormat.ESM,
    minify: true,
    // Logs name classes of errors; minified, they would change with every build.
    keepNames: true,
    // Given at all, it replaces CDK's own list: so the SDK is in the bundle, the one that was tested and not the one that
    // the runtime has that day.
    externalModules: [...unusedParsers, ...credentialsNeverAsked],
    esbuildArgs: { '--alias': `undici=${join(projectRoot, 'infra/stack/undici-parts.mjs')}` },
    // ES modules first: what nobody imports is left out.
    mainFields: ['module', 'main'],
    // CommonJS in an ES module asks for Node's own modules by `require`.
    banner: "import{createRequire as r}from'node:module';const require=r(import.meta.url);",
    logLevel: LogLevel.WARNING,
    sourceMap: true,
    sourceMapMode: SourceMapMode.EXTERNAL,
    commandHooks: {
      beforeBundling: () => [],
      beforeInstall: () => [],
      // Kept for reading stack traces; in the asset it would only make cold starts longer.
      afterBundling: (_from, to) => [`mkdir -p "${maps}"`, `mv "${join(to, 'index.mjs.map')}" "${maps}/"`],
    },
  }
}
