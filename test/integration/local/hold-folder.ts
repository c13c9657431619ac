// A process that has a data folder until it is killed.
import { enterStateFolder } from '../../../infra/local/state-folder.ts'

const [dataDir = ''] = process.argv.slice(2)
const source = { id: 'src_1', baseUrl: 'https://api.example.com', pathPrefix: '/api/v2' }
const folder = await enterStateFolder({ dataDir, source })
folder.announce({
  startedAt: new Date().toISOString(),
  dynamodb: { endpoint: 'http://127.0.0.1:1', tableName: 'feedback-bridge' },
  sqs: { endpoint: 'http://127.0.0.1:2' },
  queueUrls: {
    fast: 'http://127.0.0.1:2/fast',
    slow: 'http://127.0.0.1:2/slow',
    deadLetters: 'http://127.0.0.1:2/dead',
  },
})
console.log('ready')
setInterval(() => undefined, 60_000)
