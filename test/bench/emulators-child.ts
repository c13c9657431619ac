import { startEmulators } from '../../infra/local/emulators.ts'

/** The emulators alone, on disk in the folder that is given, to measure what they take by themselves. */
const [dataDir] = process.argv.slice(2)
const emulators = await startEmulators(dataDir === undefined ? {} : { dataDir })
process.send?.({ dynamodb: emulators.dynamodb, sqs: emulators.sqs, queueUrls: emulators.queueUrls })
process.on('disconnect', () => process.exit(0))
