import { readFileSync } from 'node:fs'
import { fileFault } from '../../domain/words.ts'

/** Reads a JSON file. Throws the error that `refuse` makes of the fault. */
export function readJson(file: string, refuse: (why: string) => Error): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw refuse(error instanceof SyntaxError ? 'is not JSON' : `cannot be read: ${fileFault(error)}`)
  }
}
