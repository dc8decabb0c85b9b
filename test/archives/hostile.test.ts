import { readdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeEach, describe, expect, it } from 'vitest'
import { readTrials } from '../../src/archives/trials/read-trials.ts'
import {
  atif,
  detailsOf,
  FOR_ALL,
  GOOD,
  outline,
  readAll,
  readArchive,
  type TarEntry,
  tarOf,
  tempFolder,
  writeFiles,
  type ZipEntry,
  zipOf,
} from './make.ts'

let folder = ''
let temp = ''
beforeEach(async () => {
  folder = await tempFolder()
  temp = await tempFolder()
})

describe('an entry that is not safe is refused by its name, and the rest is read', () => {
  const tars: [string, TarEntry, string][] = [
    ['an absolute path', { name: '/abs.json', content: atif() }, 'absolute'],
    ['a path that leaves', { name: '../out.json', content: atif() }, 'leaves the archive'],
    ['a path that leaves in the middle', { name: 'a/../../out.json', content: atif() }, 'leaves the archive'],
    ['a symbolic link', { name: 'link', type: 'symlink', linkname: '/etc/passwd' }, 'symbolic link'],
    ['a hard link', { name: 'hard', type: 'link', linkname: 'good.json' }, 'hard link'],
    ['a device', { name: 'null', type: 'character-device', devmajor: 1, devminor: 3 }, 'device'],
    ['a named pipe', { name: 'pipe', type: 'fifo' }, 'named pipe'],
    ['a backslash', { name: '..\\out.json', content: atif() }, 'backslash'],
    ['a drive', { name: 'C:/out.json', content: atif() }, 'drive'],
    ['a name twice', { name: 'good.json', content: atif('other') }, 'twice'],
    ['a name twice, written otherwise', { name: './/good.json', content: atif('other') }, 'twice'],
    ['a name in another case', { name: 'GOOD.json', content: atif('other') }, 'case or accents'],
    ['a file as a folder', { name: 'good.json/x.json', content: atif() }, 'a file here and a folder there'],
    ['a name that no file can have', { name: `${'x'.repeat(256)}.json`, content: atif() }, 'no file can have'],
    ['a path of many folders', { name: `${'d/'.repeat(40)}x.json`, content: atif() }, 'folders deep'],
    ['a path that is too long', { name: `${'d'.repeat(200)}/`.repeat(6), type: 'directory' }, 'characters'],
  ]
  it.each(tars)('tar: %s', async (_, entry, detail) => {
    const items = await readArchive('a.tar', await tarOf([GOOD, entry]))
    const trials = items.filter((item) => item.kind === 'trial')
    expect(trials).toMatchObject([{ name: 'a.tar!good.json', request: { trajectory: atif() } }])
    expect(items.filter((item) => item.kind === 'skipped')).toMatchObject([{ reason: 'refused' }])
    expect(detailsOf(items)[0]).toContain(detail)
  })

  const zips: [string, ZipEntry, string][] = [
    ['an absolute path', { name: '/abs.json', content: atif() }, 'absolute'],
    ['a path that leaves', { name: '../out.json', content: atif() }, 'leaves the archive'],
    ['a backslash', { name: '..\\out.json', content: atif() }, 'backslash'],
    ['a symbolic link', { name: 'link', content: '/etc/passwd', mode: 0o120777 }, 'symbolic link'],
    ['a device', { name: 'dev', mode: 0o020666 }, 'special'],
    ['encryption', { name: 'secret.json', content: atif(), flags: 1 }, 'encrypted'],
    ['an unknown method', { name: 'odd.json', content: atif(), method: 12 }, 'method 12'],
    ['a name twice', { name: 'good.json', content: atif('other') }, 'twice'],
    ['NUL', { name: 'good.json\0.txt', content: atif() }, 'NUL'],
  ]
  it.each(zips)('zip: %s', async (_, entry, detail) => {
    const items = await readArchive('a.zip', zipOf([GOOD, entry]))
    expect(items.filter((item) => item.kind === 'trial')).toMatchObject([{ request: { trajectory: atif() } }])
    expect(detailsOf(items)).toHaveLength(1)
    expect(detailsOf(items)[0]).toContain(detail)
  })

  it('and one that is too large is not kept', async () => {
    const tar = await tarOf([{ name: 'big.json', content: atif('x'.repeat(5000)) }, GOOD])
    const items = await readArchive('a.tar', tar, { max_entry_bytes: 4000 })
    expect(outline(items)).toEqual(['a.tar!good.json', 'a.tar!big.json: refused'])
  })

  it('and beyond a hundred, only their number is told', async () => {
    const entries = Array.from({ length: 150 }, (_, index) => ({ name: `../${index}.json`, content: '{}' }))
    const items = await readArchive('a.tar', await tarOf([...entries, GOOD]))
    expect(items).toHaveLength(102)
    expect(detailsOf(items).at(-1)).toBe('50 more of its entries were refused')
  })
})

it('shows names of entries safely', async () => {
  const items = await readArchive('a.tar', await tarOf([{ name: '../\u001b[2J\u202egpj.json', content: '' }]))
  expect(items[0]?.name).toBe('a.tar!../%1B[2J%E2%80%AEgpj.json')
})

it('follows no link that it finds in a folder', async () => {
  const outside = await writeFiles(await tempFolder(), { 'a.json': atif() })
  await symlink(outside, join(folder, 'linked'))
  await symlink(join(outside, 'a.json'), join(folder, 'linked.json'))
  await writeFiles(folder, { 'trial/result.json': { trial_name: 't', task_name: 't' }, 'trial/agent/x.txt': '' })
  await symlink(join(outside, 'a.json'), join(folder, 'trial/agent/trajectory.json'))
  expect(outline(await readAll(folder, { tempFolder: temp }))).toEqual(
    ['linked: refused', 'linked.json: refused', 'trial: no_trajectory'].map(
      (line) => `${folder.split('/').at(-1)}/${line}`,
    ),
  )
  await symlink(outside, join(temp, 'given'))
  expect(outline(await readAll(join(temp, 'given')))).toEqual(['given/a.json'])
})

it('removes what it unpacked when it is aborted, or left', async () => {
  const tar = await tarOf(Array.from({ length: 20 }, (_, index) => ({ name: `${index}.json`, content: atif() })))
  await writeFiles(folder, { 'a.tar': tar })
  const path = join(folder, 'a.tar')
  const abort = new AbortController()
  const options = { groundTruths: FOR_ALL, tempFolder: temp, abort: abort.signal }
  const read = async () => {
    for await (const _ of readTrials([path], options)) {
      expect(await readdir(temp)).toHaveLength(1)
      abort.abort()
    }
  }
  await expect(read()).rejects.toMatchObject({ name: 'AbortError' })
  expect(await readdir(temp)).toEqual([])
  await expect(read()).rejects.toMatchObject({ name: 'AbortError' })
  for await (const _ of readTrials([path], { groundTruths: FOR_ALL, tempFolder: temp })) break
  expect(await readdir(temp)).toEqual([])
})

it.each(['a.tar.gz', 'a.zip'])('stops unpacking %s when it is aborted', async (name) => {
  const entries = Array.from({ length: 500 }, (_, index) => ({ name: `${index}.json`, content: atif() }))
  await writeFiles(folder, { [name]: name === 'a.zip' ? zipOf(entries) : gzipSync(await tarOf(entries)) })
  const abort = new AbortController()
  const seen: number[] = []
  const reading = readAll(join(folder, name), {
    tempFolder: temp,
    abort: abort.signal,
    onProgress: ({ entries: count }) => {
      seen.push(count)
      if (count >= 200) abort.abort()
    },
  })
  await expect(reading).rejects.toMatchObject({ name: 'AbortError' })
  expect(seen).toEqual([0, 100, 200])
  expect(await readdir(temp)).toEqual([])
})
