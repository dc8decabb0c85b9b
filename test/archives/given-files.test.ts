import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { atif, outline, readAll, TRUTH, tempFolder, truths, writeFiles } from './make.ts'

let folder = ''
beforeEach(async () => {
  folder = join(await tempFolder(), 'f')
})

describe('a file that is given by itself', () => {
  const own = (cue: string) => ({ instruction: 'Build.', cue })
  const cues = async (paths: string[]) => {
    const items = await readAll(
      paths.map((path) => join(folder, path)),
      { groundTruths: truths([{ ...own('x'), task: 'none' }]) },
    )
    return items.map((item) =>
      item.kind === 'trial' ? [item.request.metadata?.trial, item.request.ground_truth['cue']] : [item.reason],
    )
  }

  it('finds the ground truth beside it, and is called after its folder', async () => {
    await writeFiles(folder, {
      'one/trajectory.json': atif(),
      'one/ground_truth.json': own('one'),
      'two/trajectory.json': atif(),
      'two/ground-truth.json': own('two'),
      'two/other.trajectory.json': atif(),
      'three/agent/trajectory.json': atif(),
      'three/agent/ground_truth.json': own('forged'),
      'three/ground_truth.json': own('three'),
      'four/trajectory.json': atif(),
    })
    const paths = ['one/trajectory.json', 'two/trajectory.json', 'two/other.trajectory.json']
    expect(await cues([...paths, 'three/agent/trajectory.json', 'four/trajectory.json'])).toEqual([
      ['one', 'one'],
      ['two', 'two'],
      ['other.trajectory', 'two'],
      ['three', 'three'],
      ['no_ground_truth'],
    ])
  })

  it('tells one that is malformed, once', async () => {
    await writeFiles(folder, { 'a.json': atif(), 'b.json': atif(), 'ground_truth.json': { cue: 7 } })
    const items = await readAll(['a.json', 'b.json'].map((name) => join(folder, name)))
    expect(outline(items)).toEqual(['f/ground_truth.json: unreadable', 'a.json', 'b.json'])
  })

  it('is joined by its name without what is an ending, and no more', async () => {
    const names = ['x.json', 'x.rerun-2.json', 'x.trajectory.json']
    await writeFiles(folder, Object.fromEntries(names.map((name) => [name, atif()])))
    const items = await readAll(folder, { groundTruths: truths([{ ...TRUTH, trial: 'x' }]) })
    expect(outline(items)).toEqual(['f/x.json', 'f/x.rerun-2.json: no_ground_truth', 'f/x.trajectory.json'])
  })
})

describe('a loose file that should be a run', () => {
  const details = async (files: Record<string, string | Buffer>) => {
    await writeFiles(folder, files)
    const items = await readAll(folder, { groundTruths: truths([{ ...TRUTH, task: 'none' }]) })
    return items.map((item) => (item.kind === 'trial' ? [item.kind] : [item.reason, item.detail]))
  }
  const utf16 = (text: string) => Buffer.from(text, 'utf16le')

  it.each([{ steps: [{ role: 'user', content: 'x' }] }, { messages: [{ from: 'user', value: 'x' }], title: 'a chat' }])(
    'is unreadable, and told the members of a step: %j',
    async (document) => {
      expect(await details({ 'run.json': JSON.stringify(document) })).toEqual([
        ['unreadable', expect.stringContaining('a step of the plain form has actor and text')],
      ])
    },
  )

  it.each([{ steps: 7 }, { steps: ['npm test'] }, { messages: [] }, { x: 1 }])('is none: %j', async (document) => {
    expect(await details({ 'other.json': JSON.stringify(document) })).toEqual([
      ['unsupported', 'JSON of no format that docs/formats.md lists'],
    ])
  })

  it.each([
    ['with a byte order mark', utf16(`\ufeff${JSON.stringify(atif())}`)],
    ['without one', utf16(JSON.stringify(atif()))],
    ['big-endian', utf16(`\ufeff${JSON.stringify(atif())}`).swap16()],
  ])('is read as UTF-16: %s', async (_name, bytes) => {
    const texts = { 'run.json': bytes, 'nul.jsonl': `\0\0${JSON.stringify(atif())}\0` }
    await writeFiles(folder, texts)
    const items = await readAll(Object.keys(texts).map((name) => join(folder, name)))
    expect(items.map((item) => (item.kind === 'trial' ? item.kind : item.detail))).toEqual(['trial', 'trial'])
  })

  it('is no run where it is JSON, but no object and no list', async () => {
    const told = 'the file holds no run: a run is an object or a list, not null'
    expect(await details({ 'run.json': 'null' })).toEqual([['unsupported', told]])
  })

  it.each([
    ['{"schema_version": "ATIF-v1.5", "steps": [\n{"ä": 1,', 'ends at byte 52'],
    ['{"steps": [\n{1}]}', 'stops being JSON at byte 13'],
  ])('is told the byte at which its JSON breaks: %j', async (text, told) => {
    expect(await details({ 'run.json': text })).toEqual([
      ['unreadable', `line 1: the file is neither JSON nor JSON lines: it ${told}`],
    ])
  })
})
