import type { Static } from 'typebox'
import { parse } from 'yaml'
import { DENIED_ACTS } from '../domain/evidence/evidence-question.ts'
import { fileFault } from '../domain/file-fault.ts'
import { inputIssues } from '../schemas/check.ts'
import { Choice, Closed, Type } from '../schemas/type.ts'
import { JudgeFileSchema } from './judges.ts'
import { removedKeysIn } from './removed-settings.ts'
import { BATCHES, CONCURRENCY, LIMITS, POSTGRES, RETRY, WorkersFileSchema } from './settings.ts'

const FileSchema = Closed({
  default_judge: Type.Optional(Type.String({ minLength: 1 })),
  limits: Type.Optional(LIMITS.file),
  retry: Type.Optional(RETRY.file),
  concurrency: Type.Optional(CONCURRENCY.file),
  evidence: Type.Optional(Closed({ denied_acts: Type.Optional(Choice(DENIED_ACTS)) })),
  postgres: Type.Optional(POSTGRES.file),
  batches: Type.Optional(BATCHES.file),
  workers: Type.Optional(WorkersFileSchema),
  judges: Type.Optional(
    Type.Record(Type.String({ pattern: '^[a-z][a-z0-9._-]*$' }), JudgeFileSchema, {
      additionalProperties: false,
      description: 'names of a–z, 0–9, dots, dashes and underscores that begin with a letter',
    }),
  ),
})

/** The configuration file in its right form. An absent setting has a default. */
type ConfigFile = Static<typeof FileSchema>

/** Reads the configuration file. Throws with the place of each setting that cannot be used. */
export function readConfigFile(path: string, readFile: (path: string) => string): ConfigFile {
  const value = parseFile(path, readText(path, readFile))
  const removed = removedKeysIn(value)
  const found = removed.length > 0 ? removed : inputIssues(FileSchema, value ?? {})
  const issues = found.map(({ path: place, message }) => `${place || '/'} ${message}`)
  if (issues.length > 0) throw new Error(`VERIDICT_CONFIG: ${path}: ${issues.join('; ')}`)
  return (value ?? {}) as ConfigFile
}

function readText(path: string, readFile: (path: string) => string): string {
  try {
    return readFile(path)
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    throw new Error(
      isMissing
        ? `VERIDICT_CONFIG: there is no file ${path}`
        : `VERIDICT_CONFIG: ${path} cannot be read: ${fileFault(error)}`,
    )
  }
}

/** Parses the file. An error leaves out the parser’s own words, which quote the file and may hold a secret. */
function parseFile(path: string, text: string): unknown {
  try {
    return parse(text)
  } catch (error) {
    const { code, linePos, name } = error as { code?: string; linePos?: readonly LinePos[]; name: string }
    const place = linePos?.[0] === undefined ? '' : ` at line ${linePos[0].line}, column ${linePos[0].col}`
    const why = (code ?? name).toLowerCase().replaceAll('_', ' ')
    throw new Error(`VERIDICT_CONFIG: ${path} cannot be read as YAML or JSON${place} (${why})`)
  }
}

interface LinePos {
  readonly line: number
  readonly col: number
}
