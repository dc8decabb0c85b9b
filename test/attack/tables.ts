import { readFileSync } from 'node:fs'
import { parse } from 'yaml'

/** Reads a file of `tables/`: the words that the suite attacks with are data, the generators of its cases are code. */
export const readTables = <T>(name: string): T =>
  parse(readFileSync(new URL(`tables/${name}.yaml`, import.meta.url), 'utf8')) as T
