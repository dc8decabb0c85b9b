import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterEach, beforeAll, beforeEach, describe, expect } from 'vitest'
import type { Grade } from '../../src/schemas/grade.ts'
import { startApp, type TestApp } from '../start-app.ts'

/** Browser of the tests, which use the real service and real data. Without a Chromium the tests are skipped with a warning. */
const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium'
const hasChromium = existsSync(CHROMIUM)
if (!hasChromium) console.warn(`skipped: there is no Chromium at ${CHROMIUM}; set CHROMIUM to its path`)
export const describeInBrowser = describe.skipIf(!hasChromium)

export interface Audit {
  readonly app: TestApp
  readonly origin: string
  /**
   * Opens a page at a path of the audit in a separate window, and waits until the page has an element of the selector. The page fails the test
   * for any error of its scripts.
   */
  open(path: string, options?: BrowserContextOptions & { readonly until?: string }): Promise<Page>
  /** Errors of the pages since they were opened: scripts, content policy, requests to other origins. */
  readonly complaints: string[]
  /** Takes out the complaints of refused requests of a status, which Chromium writes into the console, and expects that there are some. */
  forgive(status: number): void
  stop(): Promise<void>
}

/** Starts the service on loopback, and a browser. */
export async function startAudit(options: Parameters<typeof startApp>[0] = {}): Promise<Audit> {
  const app = await startApp(options)
  const origin = await app.listen()
  const browser: Browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })
  const complaints: string[] = []
  return {
    app,
    origin,
    complaints,
    async open(path, { until, ...context } = {}) {
      const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, ...context })
      // The page times out before the test does, so that the error names the awaited element.
      page.setDefaultTimeout(60_000)
      page.on('pageerror', (error) => complaints.push(`error: ${error.message}`))
      page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) complaints.push(`console: ${message.text()}`)
      })
      page.on('request', (request) => {
        // A file is one that a test saved: no page of the service can ask for one.
        if (!request.url().startsWith(origin) && !/^(?:data|file):/.test(request.url()))
          complaints.push(`asked for ${request.url()}`)
      })
      await page.goto(origin + path)
      if (until !== undefined) await page.waitForSelector(until)
      return page
    },
    forgive(status) {
      const [own = [], others = []] = [true, false].map((wanted) =>
        complaints.filter((one) => one.includes(`status of ${status}`) === wanted),
      )
      expect(own.length).toBeGreaterThan(0)
      complaints.splice(0, complaints.length, ...others)
    },
    async stop() {
      await browser.close()
      await app.stop()
    },
  }
}

/**
 * Starts an audit before each test of the suite, or once for all of its tests; answers what stands for it in the tests. A test fails for every
 * complaint that it leaves.
 */
export function useAudit<A extends Audit>(start: () => Promise<A>, each: 'each' | 'once' = 'each'): A {
  const audit = {} as A
  const begin = async () => Object.assign(audit, await start()).stop
  if (each === 'each') beforeEach(begin)
  else beforeAll(begin)
  afterEach(() => expect(audit.complaints.splice(0)).toEqual([]))
  return audit
}

const EXAMPLES = 'examples'

/** Grades every bundled example by the lexical judge; answers the grades by name of the example. */
export async function gradeExamples(app: TestApp): Promise<ReadonlyMap<string, Grade>> {
  const names = readdirSync(EXAMPLES, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [entry.name] : [],
  )
  const grades = new Map<string, Grade>()
  for (const name of names) {
    grades.set(name, await app.tell<Grade>('/v1/grades', readExample(name)))
  }
  return grades
}

/** Reads a bundled example as a grade request. */
export function readExample(name: string) {
  const read = (file: string): unknown => JSON.parse(readFileSync(join(EXAMPLES, name, file), 'utf8'))
  return {
    trajectory: read('trajectory.json') as Record<string, unknown>,
    ground_truth: read('ground-truth.json') as Record<string, unknown>,
    judge: 'lexical',
    metadata: { task: name, agent: name.split('-').slice(1).join('-') },
  }
}

interface AxeResult {
  readonly violations: readonly {
    readonly id: string
    readonly help: string
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[]
  }[]
}

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

/**
 * Expects that the page breaks no rule of WCAG 2.2 A and AA in axe. The script of axe is evaluated, because the policy of the page refuses
 * a script tag.
 */
export async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(readFileSync(AXE, 'utf8'))
  const { violations } = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(options: object): Promise<AxeResult> } }
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
    return axe.run({ runOnly: { type: 'tag', values: tags } })
  })
  const broken = violations.map(
    ({ id, help, nodes }) =>
      `${id}: ${help}\n${nodes.map((node) => `  ${node.html}\n  ${node.failureSummary}`).join('\n')}`,
  )
  expect(broken.join('\n')).toBe('')
}

/**
 * Finds the part of an element that the reader cannot see: lines outside of the window or under another element. Answers '' where the whole
 * element is visible.
 */
const findHidden = (page: Page, selector: string): Promise<string> =>
  page.evaluate((wanted) => {
    const elements = [...document.querySelectorAll(wanted)]
    if (elements.length === 0) return 'it is not in the page'
    const lines = elements.flatMap((element) => [...element.getClientRects()].map((rect) => ({ element, rect })))
    const hidden = lines.flatMap(({ element, rect: { left, right, top, bottom } }) =>
      [left + 2, (left + right) / 2, right - 2].flatMap((x) => {
        const y = (top + bottom) / 2
        const there = document.elementFromPoint(x, y)
        if (there !== null && element.contains(there)) return []
        return [`${Math.round(x)},${Math.round(y)}: ${there?.outerHTML.slice(0, 100) ?? 'outside of the window'}`]
      }),
    )
    return hidden.join('\n')
  }, selector)

/** Waits until the page shows everything that the page has asked for. */
export const settled = (page: Page) =>
  page.waitForFunction(() => document.querySelector('h1') !== null && document.querySelector('.waiting') === null)

/** Expects that the whole element is visible in the window, also after all animations have ended. */
export async function expectInSight(page: Page, selector: string): Promise<void> {
  await page.waitForSelector(selector)
  await expect.poll(() => findHidden(page, selector), { message: selector, timeout: 20_000 }).toBe('')
  await page.evaluate(() => new Promise((rest) => requestAnimationFrame(() => requestAnimationFrame(rest))))
  expect(await findHidden(page, selector), selector).toBe('')
}

/** Lists the elements that make the page scroll sideways; an empty list passes. */
export const findOverflow = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement
    if (scrollWidth <= clientWidth) return []
    const over = [...document.querySelectorAll('body *')].filter(
      (element) => element.getBoundingClientRect().right > clientWidth + 1 && element.closest('.scroll') === null,
    )
    return [`${scrollWidth} > ${clientWidth}`, ...over.slice(0, 5).map((element) => element.outerHTML.slice(0, 120))]
  })
