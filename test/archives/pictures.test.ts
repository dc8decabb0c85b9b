import { randomBytes } from 'node:crypto'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readTrajectory } from '../../src/formats/read.ts'
import { PNG, pngOf, runWithPictures } from '../pictures.ts'
import { onlyTrial, packings, readAll, tempFolder, trial, writeFiles } from './make.ts'

const NAME = 'look__aaaaaaa'
const bytesOf = (picture: string): Buffer => Buffer.from(picture, 'base64')
const named = (...paths: readonly string[]) => runWithPictures(paths.map((path) => ({ media_type: 'image/png', path })))

async function readTrial(files: object, extra: (folder: string) => Promise<unknown> = async () => undefined) {
  const folder = await tempFolder()
  await writeFiles(folder, trial(NAME, files))
  await extra(join(folder, NAME))
  return picturesOf(onlyTrial(await readAll(join(folder, NAME))))
}

function picturesOf({ request, warnings }: ReturnType<typeof onlyTrial>) {
  const read = readTrajectory(request.trajectory, { max_steps: 100, max_part_chars: 100_000 })
  if (!read.ok) throw new Error(JSON.stringify(read.error))
  const parts = read.value.steps.flatMap((step) => step.parts).filter((part) => part.media)
  return { pictures: parts.map((part) => part.picture?.data ?? part.text), warnings, id: read.value.id }
}

it('reads the pictures beside the run into it, so that they are part of its id', async () => {
  const files = (picture: string) => ({
    'agent/trajectory.json': named('images/a.png', 'images/b.png', 'images/a.png'),
    'agent/images/a.png': bytesOf(PNG),
    'agent/images/b.png': bytesOf(picture),
  })
  const first = await readTrial(files(pngOf(2, 2)))
  expect(first).toMatchObject({ pictures: [PNG, pngOf(2, 2), PNG], warnings: [] })
  expect((await readTrial(files(pngOf(2, 2)))).id).toBe(first.id)
  expect((await readTrial(files(pngOf(2, 2, 9)))).id).not.toBe(first.id)
})

it('finds them in archives, too', async () => {
  const folder = await tempFolder()
  const files = trial(NAME, { 'agent/trajectory.json': named('images/a.png'), 'agent/images/a.png': bytesOf(PNG) })
  for (const [ending, packed] of Object.entries(await packings(files))) {
    const path = join(folder, `job.${ending}`)
    await writeFile(path, packed)
    expect(picturesOf(onlyTrial(await readAll(path)))).toMatchObject({ pictures: [PNG], warnings: [] })
  }
})

it('finds those of continuations and subagents', async () => {
  const main = { ...named('images/a.png'), continued_trajectory_ref: 'trajectory.cont-1.json' }
  const { pictures } = await readTrial({
    'agent/trajectory.json': { ...main, subagent_trajectories: [{ ...named('images/b.png'), trajectory_id: 'sub' }] },
    'agent/trajectory.cont-1.json': named('images/c.png'),
    'agent/images/a.png': bytesOf(PNG),
    'agent/images/b.png': bytesOf(pngOf(2, 2)),
    'agent/images/c.png': bytesOf(pngOf(3, 3)),
  })
  expect(new Set(pictures)).toEqual(new Set([PNG, pngOf(2, 2), pngOf(3, 3)]))
})

it.each([
  ['above the folder', '../secret.png', 'outside of the folder'],
  ['at an absolute path', '/etc/hostname', 'outside of the folder'],
  ['behind a link', 'linked.png', 'not there'],
  ['in a folder behind a link', 'away/secret.png', 'not there'],
  ['that is not there', 'images/none.png', 'not there'],
  ['that is too large', 'large.png', 'more than the 3932160 bytes'],
])('reads none %s', async (_, path, why) => {
  const { pictures, warnings } = await readTrial({ 'agent/trajectory.json': named(path) }, async (folder) => {
    const outside = join(folder, 'verifier')
    await mkdir(outside)
    await writeFile(join(outside, 'secret.png'), bytesOf(PNG))
    await writeFile(join(folder, 'secret.png'), bytesOf(PNG))
    await symlink(join(outside, 'secret.png'), join(folder, 'agent/linked.png'))
    await symlink(outside, join(folder, 'agent/away'))
    await writeFile(join(folder, 'agent/large.png'), randomBytes(4_000_000))
  })
  expect(pictures).toEqual([`[image: ${path}]`])
  expect(warnings).toHaveLength(1)
  expect(warnings[0]).toContain(why)
})

it('reads twenty at the most, and names the first that it leaves out', async () => {
  const names = Array.from({ length: 28 }, (_, index) => `images/${index}.png`)
  const { pictures, warnings } = await readTrial({
    'agent/trajectory.json': named(...names),
    ...Object.fromEntries(names.map((name, shade) => [`agent/${name}`, bytesOf(pngOf(2, 2, shade))])),
  })
  expect(pictures.filter((one) => !one.startsWith('['))).toHaveLength(20)
  expect(warnings).toHaveLength(6)
  expect(warnings[0]).toContain('images/20.png')
  expect(warnings[5]).toContain('3 more')
})
