import { spawnSync } from 'node:child_process'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { makeTempFolder, removeLeftovers } from '../../src/archives/unpack/spool.ts'
import { atif, outline, readAll, tarOf, tempFolder, writeFiles } from './make.ts'

it('removes what a reading left that was killed, and nothing else', async () => {
  const folder = await writeFiles(await tempFolder(), { 'a.tar': await tarOf([{ name: 'a.json', content: atif() }]) })
  const temp = await tempFolder()
  const reading = join(import.meta.dirname, 'read-killed.ts')
  const killed = spawnSync(process.execPath, [reading, join(folder, 'a.tar'), temp])
  expect(killed.signal).toBe('SIGKILL')
  const [left] = await readdir(temp)
  expect(left).toContain(`veridict-${killed.pid}-`)
  // Of another machine, of a process that lives, of somebody who only calls it so.
  const others = [`veridict-${killed.pid}-00000000-aaaaaa`, 'veridict-test', `veridict-${killed.pid}`]
  for (const name of others) await mkdir(join(temp, name))
  const file = (left ?? '').replace(/.{6}$/, 'aaaaaa')
  await writeFile(join(temp, file), 'a file of this name')
  const own = await makeTempFolder(temp)
  const alive = own.slice(temp.length + 1).replace(String(process.pid), String(process.ppid))
  await mkdir(join(temp, alive))
  expect(outline(await readAll(join(folder, 'a.tar'), { tempFolder: temp }))).toEqual(['a.tar!a.json'])
  expect((await readdir(temp)).sort()).toEqual([...others, file, alive, own.slice(temp.length + 1)].sort())
  await removeLeftovers(join(temp, 'none'))
})
