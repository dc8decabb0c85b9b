import { readFileSync } from 'node:fs'
import { parse } from 'yaml'

/** Reads tables in YAML by their path below `test/`: the rows of tests, the words of attacks. */
export const readTables = <T>(path: string): T =>
  parse(readFileSync(new URL(`${path}.yaml`, import.meta.url), 'utf8'), { maxAliasCount: -1 }) as T
