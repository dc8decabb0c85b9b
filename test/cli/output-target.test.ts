import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openOutput } from '../../src/cli/output/output-target.ts'
import { tempFolder } from '../temp-folder.ts'
import { testShell } from './test-shell.ts'

const folder = tempFolder()
const fresh = (name: string): string => {
  const path = join(folder, name)
  mkdirSync(path)
  return path
}

test.each([
  ['a folder', (path: string) => path],
  ['a folder, as such', (path: string) => `${path}/`],
  ['a folder that is not there', (path: string) => join(path, 'not', '/')],
])('refuses %s before anything is written', async (name, of) => {
  const path = fresh(name)
  await expect(openOutput(testShell(), of(path))).rejects.toThrow('cannot be written: it is a folder')
  expect([readdirSync(path), existsSync(`${path}.partial`)]).toEqual([[], false])
})

test('a partial file of an earlier run does not stay', async () => {
  const file = join(fresh('earlier'), 'x.csv')
  writeFileSync(`${file}.partial`, 'half of something much longer')
  const target = await openOutput(testShell(), file)
  await target.write('a\n')
  await target.commit()
  expect([readFileSync(file, 'utf8'), existsSync(`${file}.partial`)]).toEqual(['a\n', false])
})

test('where the name cannot be given in the end, the partial file is removed', async () => {
  const path = fresh('late')
  const target = await openOutput(testShell(), join(path, 'x.csv'))
  await target.write('a\n')
  mkdirSync(join(path, 'x.csv'))
  await expect(target.commit()).rejects.toThrow('cannot be written: EISDIR')
  await target.discard()
  expect(readdirSync(path)).toEqual(['x.csv'])
})
