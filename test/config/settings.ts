import { readTables } from '../tables.ts'

type Variables = Readonly<Record<string, string>>

/** Rows of settings: of the environment, of the file (the text within `judges: { }`, or the whole file), and of both. */
export const SETTINGS = readTables<{
  readonly environment: [name: string, env: Variables, settings: object][]
  readonly together: [name: string, env: Variables, judges: string, settings: object][]
  readonly refused_judges: [judges: string, said: string][]
  readonly refused: [name: string, env: Variables, file: string, place: string][]
}>('config/tables/settings')
