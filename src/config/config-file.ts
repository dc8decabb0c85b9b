import { DENIED_ACTS } from '../domain/evidence.ts'
import { fileFault } from '../domain/file-fault.ts'
import { Type } from '../schemas/type.ts'
import { type AccessFile, AccessFileSchema } from './access-settings.ts'
import { type BlobFile, BlobFileSchema } from './blob-settings.ts'
import { type Concurrency, ConcurrencySchema } from './concurrency.ts'
import type { BatchSettings, Budget, EvidenceSettings, Limits, RetrySettings } from './config.ts'
import { configIssues } from './config-issues.ts'
import { type JudgeFile, JudgeFileSchema } from './judge-settings.ts'
import { nullable } from './nullable.ts'
import { type PostgresFile, PostgresFileSchema } from './postgres-settings.ts'
import { type WorkersFile, WorkersFileSchema } from './worker-settings.ts'
import { parseYaml } from './yaml.ts'

const positive = () => Type.Optional(Type.Integer({ minimum: 1 }))
const closed = { additionalProperties: false } as const

const FileSchema = Type.Object(
  {
    default_judge: Type.Optional(Type.String({ minLength: 1 })),
    limits: Type.Optional(
      Type.Object(
        {
          body_bytes: positive(),
          depth: positive(),
          max_steps: positive(),
          max_part_chars: positive(),
          grading_at_once: positive(),
          held_bytes: positive(),
          uploads_at_once: positive(),
          answer_chars: positive(),
          slow_reader_ms: positive(),
          streams_at_once: positive(),
          statistics_at_once: positive(),
          connections: positive(),
          event_loop_delay_ms: positive(),
          heap_share: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 1 })),
          headers_ms: positive(),
          slow_body_ms: positive(),
          body_bytes_per_s: positive(),
        },
        closed,
      ),
    ),
    retry: Type.Optional(
      Type.Object(
        {
          max_attempts: positive(),
          deadline_ms: positive(),
          call_timeout_ms: positive(),
          base_delay_ms: positive(),
          max_delay_ms: positive(),
          max_retry_after_ms: positive(),
        },
        closed,
      ),
    ),
    concurrency: Type.Optional(ConcurrencySchema),
    budget: Type.Optional(
      Type.Object({ max_cost_usd_per_day: Type.Optional(nullable(Type.Number({ minimum: 0 }))) }, closed),
    ),
    evidence: Type.Optional(
      Type.Object({ denied_acts: Type.Optional(Type.Enum(DENIED_ACTS, { type: 'string' })) }, closed),
    ),
    access: Type.Optional(AccessFileSchema),
    postgres: Type.Optional(PostgresFileSchema),
    blobs: Type.Optional(BlobFileSchema),
    batches: Type.Optional(Type.Object({ most_items: positive(), poll_seconds: positive() }, closed)),
    workers: Type.Optional(WorkersFileSchema),
    judges: Type.Optional(
      Type.Record(Type.String({ pattern: '^[a-z][a-z0-9._-]*$' }), JudgeFileSchema, {
        ...closed,
        description: 'names of a–z, 0–9, dots, dashes and underscores that begin with a letter',
      }),
    ),
  },
  closed,
)

/** The file, in the right form; what is absent has a default. */
export interface ConfigFile {
  readonly default_judge?: string
  readonly limits?: Partial<Limits>
  readonly retry?: Partial<RetrySettings>
  readonly concurrency?: Partial<Concurrency>
  readonly budget?: Partial<Budget>
  readonly evidence?: Partial<EvidenceSettings>
  readonly access?: AccessFile
  readonly postgres?: PostgresFile
  readonly blobs?: BlobFile
  readonly batches?: Partial<BatchSettings>
  readonly workers?: WorkersFile
  readonly judges?: Readonly<Record<string, JudgeFile>>
}

/** Throws with the place of what cannot be used. */
export function readConfigFile(path: string, readFile: (path: string) => string): ConfigFile {
  const value = parseFile(path, readText(path, readFile))
  const issues = configIssues(FileSchema, value ?? {})
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

/** The parser’s own words quote the file, which may hold what is secret. */
function parseFile(path: string, text: string): unknown {
  try {
    return parseYaml(text)
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
