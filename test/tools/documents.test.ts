import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { loadConfig } from '../../src/config/config.ts'

// The changelog tells what was.
const PAGES = [
  ...globSync('*.md', { exclude: ['CHANGELOG.md'] }),
  ...globSync('{docs,test/attack,web}/*.md'),
  ...globSync('integrations/*/*.md'),
]
const TEXTS = new Map(PAGES.map((page) => [page, readFileSync(page, 'utf8')]))

/** What a pattern captures first, of every page, with the page. */
const found = (pattern: RegExp): [page: string, text: string][] =>
  [...TEXTS].flatMap(([page, text]) => [...text.matchAll(pattern)].map(([, one = '']): [string, string] => [page, one]))

/** The anchors of a page's headings, as GitHub makes them. */
const anchorsOf = (page: string): string[] =>
  [...(TEXTS.get(page) ?? '').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  )

test('links lead to files and headings that there are', () => {
  const links = found(/\]\((?!https?:)([^)\s]+)\)/g)
  expect(links.length).toBeGreaterThan(100)
  const broken = links.filter(([page, link]) => {
    const [path = '', anchor] = link.split('#')
    const target = path === '' ? page : join(dirname(page), path)
    return !existsSync(target) || (anchor !== undefined && !anchorsOf(target).includes(anchor))
  })
  expect(broken).toEqual([])
})

test('documents that messages and documents name are there', () => {
  const named = found(/\b(docs\/[\w-]+\.md)/g)
  for (const file of globSync('{src/{cli,config,storage},deploy}/**/*.{ts,yaml}'))
    for (const [, page = ''] of readFileSync(file, 'utf8').matchAll(/\b(docs\/[\w-]+\.md)/g)) named.push([file, page])
  expect(named.filter(([, page]) => !existsSync(page))).toEqual([])
})

test('documents run scripts that there are, through npm, which brings its Node.js', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }
  const named = found(/npm run (?:--silent )?([a-z][\w:-]*)/g)
  expect(named.length).toBeGreaterThan(50)
  expect(named.filter(([, script]) => !(script in scripts))).toEqual([])
  expect(found(/\b(node (?:bench|examples|test|tools)\/[\w-]+\.ts)/g)).toEqual([])
})

test('the README says where data go, and docs/commands.md which commands have exit codes of their own', () => {
  expect(TEXTS.get('README.md')).toContain(
    `\`${loadConfig({}, () => '').config.database.slice(2)}\` (\`VERIDICT_DATABASE\`)`,
  )
  const [, section = ''] = (TEXTS.get('docs/commands.md') ?? '').split('\n## Exit codes\n')
  const [codes = ''] = section.split('\n## ')
  const texts = readFileSync('src/cli/help.md', 'utf8').split(/^# /m)
  const own = texts.filter((text) => /Exit codes: 0 [^:]+; [23] /.test(text)).map((text) => `${text.split('\n')[0]}\``)
  expect(own.length).toBeGreaterThan(2)
  expect(own.filter((name) => !codes.includes(name))).toEqual([])
})
