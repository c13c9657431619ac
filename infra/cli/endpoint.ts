import { defineNoun } from './command.ts'
import { addEndpoint } from './endpoint/add.ts'
import { setEndpointAuthorization } from './endpoint/authorization.ts'
import { disableEndpoint } from './endpoint/disable.ts'
import { enableEndpoint } from './endpoint/enable.ts'
import { listEndpoints } from './endpoint/list.ts'
import { removeEndpoint } from './endpoint/remove.ts'
import { rotateEndpointSecret } from './endpoint/rotate-secret.ts'
import { showEndpoint } from './endpoint/show.ts'
import { testEndpoint } from './endpoint/test.ts'
import { updateEndpoint } from './endpoint/update.ts'

/** Customers' webhook URLs, and what each of them gets. */
export const endpointNoun = defineNoun({
  name: 'endpoint',
  summary: "Customers' webhook URLs, and what each of them gets",
  commands: [
    addEndpoint,
    listEndpoints,
    showEndpoint,
    updateEndpoint,
    testEndpoint,
    rotateEndpointSecret,
    setEndpointAuthorization,
    disableEndpoint,
    enableEndpoint,
    removeEndpoint,
  ],
})
