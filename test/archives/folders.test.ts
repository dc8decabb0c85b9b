import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readTables } from '../tables.ts'
import { atif, outline, readAll, source, tempFolder, trial, truths, writeFiles } from './make.ts'

/** A folder that is read, and the items that come out of it. */
interface Folder {
  readonly name: string
  /** Contents by path: null (an empty folder), a text, JSON, or `{atif: words}` with further members, `also` with further steps. */
  readonly files?: Readonly<Record<string, unknown>>
  /** Harbor trials by name: their files, and members of their result. */
  readonly trials?: Readonly<Record<string, { readonly files?: object; readonly result?: object }>>
  /** Paths below the folder; absent: the folder itself. */
  readonly read?: readonly string[]
  readonly truths?: unknown
  readonly signals?: readonly string[]
  readonly options?: object
  /** Names of the items, with the reason of those that are no trials. */
  readonly outline: readonly string[]
  /** Members of the items in order, null for any; `~words` is a text that holds the words. */
  readonly items?: readonly unknown[]
  /** Members that an item, by its place, does not have. */
  readonly without?: readonly (readonly [at: number, member: string])[]
}

function contentOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('atif' in value)) return value
  const { atif: words, also = [], ...more } = value as { atif: string; also?: object[] }
  const document = atif(words, more)
  return { ...document, steps: [...((document['steps'] as object[]) ?? []), ...also] }
}

const contentsOf = (files: object) =>
  Object.fromEntries(
    Object.entries(files).flatMap(([path, value]) => (value === null ? [] : [[path, contentOf(value)]])),
  )

function expected(value: unknown): unknown {
  if (typeof value === 'string' && value.startsWith('~')) return expect.stringContaining(value.slice(1))
  if (Array.isArray(value)) return value.map(expected)
  if (typeof value !== 'object') return value
  if (value === null) return expect.anything()
  if ('atif' in value) return contentOf(value)
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, expected(one)]))
}

for (const [about, folders] of Object.entries(readTables<Record<string, readonly Folder[]>>('archives/tables/folders')))
  describe(about, () => {
    it.each(folders.map((folder) => [folder.name, folder] as const))('%s', async (_name, folder) => {
      const { files = {}, trials = {}, read, truths: rows, signals = [], options, ...wanted } = folder
      const root = join(await tempFolder(), 'job')
      await writeFiles(root, contentsOf(files))
      for (const path of Object.keys(files))
        if (files[path] === null) await mkdir(join(root, path), { recursive: true })
      for (const [name, { files: own = {}, result = {} }] of Object.entries(trials))
        await writeFiles(root, trial(name, contentsOf(own), result))
      const items = await readAll(read?.map((path) => join(root, path)) ?? root, {
        ...(rows !== undefined && { groundTruths: truths(rows) }),
        ...(signals.length > 0 && { signals: signals.map(source) }),
        ...options,
      })
      expect(outline(items)).toEqual(wanted.outline)
      if (wanted.items !== undefined) expect(items).toMatchObject(wanted.items.map(expected))
      for (const [at, member] of wanted.without ?? []) expect(items[at]).not.toHaveProperty(member)
    })
  })
