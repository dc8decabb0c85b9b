import { join } from 'node:path'
import { expect, test } from 'vitest'
import { buildContext } from '../../src/boot/context.ts'
import { loadConfig } from '../../src/config/config.ts'
import { openSqliteStores } from '../../src/db/stores.ts'
import { tempFolder } from '../temp-folder.ts'

test('a rubric that changed under its version stops the start, with what to do', async () => {
  const database = join(tempFolder(), 'v.sqlite')
  const stores = openSqliteStores({ path: database })
  await stores.settings.registerRubric('tab-behavior@1', `sha256:${'0'.repeat(64)}`, '{}')
  await stores.close()
  const { config, secrets } = loadConfig({ VERIDICT_DATABASE: database }, () => '')
  await expect(buildContext({ config, secrets })).rejects.toThrow(/tab-behavior@1 was changed, but not its version/)
})
