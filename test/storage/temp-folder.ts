import { join } from 'node:path'
import { tempFolder } from '../temp-folder.ts'

/** A path for a database in a new folder, which goes with the test file. */
export const tempDatabase = (): string => join(tempFolder(), 'made', 'veridict.sqlite')
