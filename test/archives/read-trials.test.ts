import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import type { TrialItem } from '../../src/archives/trials/reading-job.ts'
import {
  atif,
  CORPUS,
  FOR_ALL,
  filesBelow,
  harborResult,
  hasCorpus,
  outline,
  packings,
  readAll,
  TRUTH,
  tempFolder,
  writeFiles,
} from './make.ts'

let folder = ''
beforeEach(async () => {
  folder = join(await tempFolder(), 'f')
})

/** Items without the place that they were read from. */
const relative = (items: readonly TrialItem[], root: string, label: string) =>
  items.map((item) => {
    const { name, source } = item
    const told = { name: name.slice(label.length + 1), source: source.slice(root.length + 1) }
    return { ...item, ...told }
  })

describe('an archive reads as its folder does', () => {
  async function compare(files: Record<string, unknown>, root: string) {
    await writeFiles(root, files)
    const direct = relative(await readAll(root), root, 'f')
    const archives = await tempFolder()
    for (const [name, bytes] of Object.entries(await packings(files))) {
      // Its name stands for that of the folder, and says nothing of how it is packed.
      const path = join(archives, name, 'f.tar')
      await writeFiles(archives, { [`${name}/f.tar`]: bytes })
      expect(relative(await readAll(path), path, 'f.tar'), name).toEqual(direct)
    }
    return direct
  }

  it.skipIf(!hasCorpus)('for the real job', async () => {
    const direct = await compare(await filesBelow(join(CORPUS, 'harbor-trial')), folder)
    expect(direct.filter((item) => item.kind === 'trial')).toHaveLength(1)
  })

  it('for any folder', async () => {
    const name = fc.constantFrom('a', 'b', 'Ünï', 'x y', 'trajectory', '10', '9')
    const content = fc.constantFrom<unknown>(atif(), { steps: [] }, 'no json', '', harborResult('org/a', 'a__1'), {
      trajectory: atif(),
      ground_truth: { instruction: 'x', cue: { text: 'y' } },
    })
    const end = fc.constantFrom('.json', '/agent/trajectory.json', '/result.json', '.jsonl', '/deep/er.json')
    const files = fc.dictionary(
      fc.tuple(name, end).map((parts) => parts.join('')),
      content,
      { minKeys: 1, maxKeys: 8 },
    )
    await fc.assert(
      fc.asyncProperty(files, async (some) => {
        const direct = await compare({ ...some }, join(await tempFolder(), 'f'))
        expect(new Set(direct.map((item) => item.name)).size).toBe(direct.length)
      }),
      { numRuns: 10 },
    )
  })
})

const TRUTH_OF_LINE = { instruction: 'x', cue: { text: 'y' } }

it('reads what is given twice once, however it is written', async () => {
  await writeFiles(folder, { 'jobs/a.json': atif() })
  await symlink(join(folder, 'jobs'), join(folder, 'linked'))
  const paths = ['jobs', 'jobs/', 'jobs/../jobs', 'linked', 'none', './none'].map((path) => `${folder}/${path}`)
  expect(outline(await readAll(paths))).toEqual(['jobs/a.json', 'none: unreadable'])
})

it('names many paths, and many items of one name, in linear time', async () => {
  const paths = Array.from({ length: 8000 }, (_, index) => `/nowhere/${index}/same`)
  const items = await readAll(paths)
  expect(items.slice(0, 2).map(({ name }) => name)).toEqual(['0/same', '1/same'])
  const line = JSON.stringify({ item_id: 'same', trajectory: { id: 'sha256:0' }, ground_truth: TRUTH_OF_LINE })
  await writeFiles(folder, { 'r.ndjson': `${line}\n`.repeat(8000) })
  const named = (await readAll(join(folder, 'r.ndjson'))).map(({ name }) => name)
  expect([named[0], named[1], named.at(-1)]).toEqual(['same', 'same~2', 'same~8000'])
})

const REQUEST_LINE = JSON.stringify({ trajectory: { id: 'sha256:0' }, ground_truth: TRUTH_OF_LINE })
it.each([
  ['text', 'labels of May', 'line 1 is not JSON'],
  ['an object that is cut off', '{"item_id": "a", "trajec', 'line 1 is not JSON'],
  ['an object of no request', '{"item_id": "a"}', 'line 1: a request has a trajectory, an object'],
])('reads requests behind %s, and names the odd line', async (_what, odd, detail) => {
  await writeFiles(folder, { 'r.ndjson': [odd, '', REQUEST_LINE, REQUEST_LINE].join('\n') })
  const items = await readAll(join(folder, 'r.ndjson'))
  expect(items).toMatchObject([{ kind: 'skipped', detail }, { kind: 'trial' }, { kind: 'trial' }])
})

it('reads no inner line of a JSON document as a request', async () => {
  await writeFiles(folder, { 'r.json': `{"steps": [],\n"runs": [\n${REQUEST_LINE}\n]}` })
  expect(await readAll(join(folder, 'r.json'))).toMatchObject([
    { kind: 'skipped', detail: expect.not.stringContaining('line') },
  ])
})

it('reads a file that was packed by itself, within the limits', async () => {
  const text = JSON.stringify(atif())
  await writeFiles(folder, {
    'a.json.gz': gzipSync(text),
    'b.json.zst': zstdCompressSync(text),
    'c.gz': gzipSync(text).subarray(0, 60),
    'd.json.gz': gzipSync(JSON.stringify(atif('x'.repeat(5000)))),
  })
  expect(outline(await readAll(folder, { limits: { max_entry_bytes: 4000 } }))).toEqual([
    'f/a.json.gz!a.json',
    'f/b.json.zst!b.json',
    'f/c.gz: unreadable',
    'f/d.json.gz!d.json: refused',
  ])
})

it('cuts long names in a way that tells them apart', async () => {
  const long = `${'d'.repeat(200)}/`.repeat(2)
  await writeFiles(folder, { [`1/${long}a.json`]: atif(), [`2/${long}a.json`]: atif() })
  const names = (await readAll(folder)).map((item) => item.name)
  expect(new Set(names).size).toBe(2)
  expect(names.every((name) => name.length <= 300 && name.endsWith('/a.json'))).toBe(true)
})

it('does not read the file of ground truths as a trajectory, and tells how far it is', async () => {
  await writeFiles(folder, { 'a.json': atif(), truths: JSON.stringify(TRUTH) })
  const seen: number[] = []
  const groundTruths = { ...FOR_ALL, source: join(folder, 'truths') }
  const items = await readAll(folder, {
    groundTruths,
    onProgress: ({ trials, skipped }) => seen.push(trials + skipped),
  })
  expect(outline(items)).toEqual(['f/a.json'])
  expect(seen).toEqual([1])
})
