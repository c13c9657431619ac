import * as z from 'zod'
import { commonVariables } from '../../shared/adapters/environment.ts'

export const releaserEnvironment = z.object(commonVariables)
