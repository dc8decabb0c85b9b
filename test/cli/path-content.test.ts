import { mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { digestContent } from '../../src/cli/input/path-content.ts'
import { tempFolder } from '../temp-folder.ts'

let folder = ''
beforeEach(() => {
  folder = tempFolder()
  mkdirSync(join(folder, 'job', 'trial'), { recursive: true })
  put('job/trial/trajectory.json', '{}')
  put('job/b.json', '{}')
})

/** Writes a file whose time of change is fixed, so that only what a test says differs. */
const put = (name: string, text: string, seconds = 1_000_000) => {
  writeFileSync(join(folder, name), text)
  utimesSync(join(folder, name), seconds, seconds)
}
const digest = (ignored: readonly string[] = []) =>
  digestContent([join(folder, 'job')], {
    ignores: (path) => ignored.some((name) => path === join(folder, name)),
    signal: new AbortController().signal,
  })

describe('the digest of what paths hold', () => {
  test.each<[string, () => void]>([
    ['a file more', () => put('job/trial/c.json', '')],
    ['a file less', () => rmSync(join(folder, 'job/b.json'))],
    ['another size', () => put('job/b.json', '{} ')],
    ['other bytes of the same size and time', () => put('job/b.json', '[]')],
    ['another name', () => renameSync(join(folder, 'job/b.json'), join(folder, 'job/c.json'))],
    ['another folder', () => renameSync(join(folder, 'job/b.json'), join(folder, 'job/trial/b.json'))],
    ['nothing at all', () => rmSync(join(folder, 'job'), { recursive: true })],
  ])('changes with %s', async (_name, change) => {
    const before = await digest()
    change()
    expect(await digest()).not.toBe(before)
  })

  test.each<[string, () => void]>([
    ['nothing', () => {}],
    ['the same file written again', () => put('job/b.json', '{}', 1_000_001)],
    ['hidden files, which are not read', () => put('job/.DS_Store', 'x')],
    ['links, which are not followed', () => symlinkSync('/', join(folder, 'job/root'))],
    ['what the command writes itself', () => put('job/out.csv', 'x')],
  ])('stays with %s', async (_name, change) => {
    const before = await digest(['job/out.csv'])
    change()
    expect(await digest(['job/out.csv'])).toBe(before)
  })

  test('a file that is given by name counts by its bytes', async () => {
    const of = () =>
      digestContent([join(folder, 'a.tar.gz')], { ignores: () => false, signal: new AbortController().signal })
    put('a.tar.gz', 'x')
    const before = await of()
    put('a.tar.gz', 'x', 1_000_001)
    expect(await of()).toBe(before)
    put('a.tar.gz', 'y')
    expect(await of()).not.toBe(before)
  })

  test('ends where the command is interrupted', async () => {
    const signal = AbortSignal.abort(new Error('interrupted'))
    await expect(digestContent([folder], { ignores: () => false, signal })).rejects.toThrow('interrupted')
  })
})
