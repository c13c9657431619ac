import { defineNoun } from './command.ts'
import { addSource } from './source/add.ts'
import { listSources } from './source/list.ts'
import { pauseSource, resumeSource } from './source/pause.ts'
import { removeSource } from './source/remove.ts'
import { rewindSource } from './source/rewind.ts'
import { showSource } from './source/show.ts'
import { setSourceToken } from './source/token.ts'
import { updateSource } from './source/update.ts'

/** Accounts at the email service, and how they are polled. */
export const sourceNoun = defineNoun({
  name: 'source',
  summary: 'Accounts at the email service, and how they are polled',
  commands: [
    addSource,
    listSources,
    showSource,
    updateSource,
    pauseSource,
    resumeSource,
    setSourceToken,
    rewindSource,
    removeSource,
  ],
})
