import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
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
  await expect(target.commit()).rejects.toThrow('cannot be written: it is a folder')
  await target.discard()
  expect(readdirSync(path)).toEqual(['x.csv'])
})

test('a new file is readable by its owner alone, and an existing file is refused where the command says so', async () => {
  const file = join(fresh('own'), 'x.csv')
  const write = async (text: string, force?: boolean) => {
    const target = await openOutput(testShell(), file, force)
    await target.write(text)
    await target.commit()
  }
  await write('a\n', false)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  await expect(write('b\n', false)).rejects.toMatchObject({
    message: `${file} is there already, and is not overwritten`,
    advice: ['Give --out another name, or --force to replace the file.'],
  })
  expect(readFileSync(file, 'utf8')).toBe('a\n')
  await write('b\n')
  expect([readFileSync(file, 'utf8'), existsSync(`${file}.partial`)]).toEqual(['b\n', false])
})

test('a file that appears while the results are written is not overwritten', async () => {
  const file = join(fresh('meanwhile'), 'x.csv')
  const target = await openOutput(testShell(), file, false)
  await target.write('a\n')
  writeFileSync(file, 'of another')
  await expect(target.commit()).rejects.toThrow('is there already')
  await target.discard()
  expect([readFileSync(file, 'utf8'), existsSync(`${file}.partial`)]).toEqual(['of another', false])
})
