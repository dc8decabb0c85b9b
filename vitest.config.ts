import { defineConfig } from 'vitest/config'

/**
 * Where a test belongs. `npm test` runs all but `slow` and `slow-processes`, and has two minutes on two cores; `npm run test:slow` runs these two; `npm run test:all`
 * runs all. A new test is quick unless its folder or its name is in this table. Put it here if it takes more than ten seconds alone, kills or
 * starts processes again and again, needs a browser or a PostgreSQL, or reads a whole corpus.
 */
const SLOW = [
  // Attacks, browsers, contracts played against a service, deployments, kills and faults: whole folders.
  'test/{attack,browser,contract,deploy,faults}/**',
  // PostgreSQL: the databases, several processes on one of them, and moving into one.
  'test/**/*postgres*.test.ts',
  'test/grading/cluster*.test.ts',
  // Processes of Python; uploads that are large.
  'test/client/{python,memory}.test.ts',
  // The command itself, again and again, over whole archives.
  'test/cli/unread-records.test.ts',
  'test/cli/{backup-drill,batch-process,loaded-modules,program,start-failure,two-ways,validate}.test.ts',
  // Processes that come and go; a database that is migrated for each test, and obeys the contract of the database in a file.
  'test/storage/{durability,sqlite-memory}.test.ts',
  // Waits for room, and statistics, which run in a process of their own.
  'test/http/{admission,agreement,batch-counts,regrades,reports}.test.ts',
  'test/telemetry/collector.test.ts',
  // Harnesses and platforms themselves, each installed in its own folder.
  'test/integrations/*-real.test.ts',
  // Simulations, laws over many draws, whole corpora, memory.
  'test/archives/{memory,real-runs}.test.ts',
  'test/fuzz/{cost,near}.test.ts',
  'test/domain/shell/reading.test.ts',
  'test/domain/statistics/{agreement-intervals,corrected-shares-coverage,judge-coverage}.test.ts',
  'test/grading/{estimate-law,reading}.test.ts',
  // Inputs of megabytes, bounds of time and memory, judges and clients that hang or lie for a while, caps over many calls.
  'test/{domain,formats}/bounded-work.test.ts',
  'test/{access/money,client/lies,offload/large-body}.test.ts',
  'test/http/{compressed,logs,provider-batches}.test.ts',
  'test/judges/{batch-find,failure-messages}.test.ts',
  // Integrations: steps of a runner.
  'test/integrations/github-actions.test.ts',
]

/** Processes that are killed, stopped and waited for: most of their time is waiting, so that two files go on at once. */
const WAITING = ['test/e2e/**']

/** Functions without state: their files share a worker. */
const PURE = ['test/{config,domain,formats,fuzz,schemas,tools}/**']

/**
 * Services, clients and commands in the process of the test, which stop what they started and change nothing else: their files share a worker, too,
 * so that what they are made of is loaded once. What looks at the process itself, its memory or what it has loaded, has a worker of its own.
 */
const SERVICE = [
  'test/{access,archives,audit,cli,client,grading,integrations,library,storage,telemetry,web}/**',
  'test/http/!(compressed).test.ts',
  'test/judges/!(batch-lines|batches).test.ts',
]

const ALL = 'test/**/*.test.ts'
const tests = (paths: readonly string[]): string[] => paths.map((path) => path.replace(/\*\*$/, '**/*.test.ts'))

const shared = {
  globalSetup: 'test/left-temp-folders.ts',
  setupFiles: ['test/fixed-seed.ts', 'test/own-temp-folder.ts'],
  // No test is held to a time; these end a test that hangs.
  testTimeout: 180_000,
  hookTimeout: 180_000,
  unstubEnvs: true,
  // A shared machine may stand still for seconds. A test that passed only in its second try is marked "(retry x1)" in what is printed.
  retry: process.env['CI'] === undefined ? 0 : 1,
}

/** Processes and databases are started again and again: a loaded machine takes minutes for one test. */
const patient = { testTimeout: 400_000, hookTimeout: 400_000 }

export default defineConfig({
  test: {
    // By default one core is left alone; of two, that is half of the machine.
    maxWorkers: '100%',
    projects: [
      { test: { ...shared, name: 'pure', include: tests(PURE), exclude: tests(SLOW), isolate: false } },
      { test: { ...shared, name: 'service', include: tests(SERVICE), exclude: tests(SLOW), isolate: false } },
      {
        test: {
          ...shared,
          name: 'quick',
          include: [ALL],
          exclude: [...tests(SLOW), ...tests(WAITING), ...tests(PURE), ...tests(SERVICE)],
        },
      },
      { test: { ...shared, ...patient, name: 'slow', include: tests(SLOW) } },
      { test: { ...shared, ...patient, name: 'slow-processes', include: tests(WAITING) } },
    ],
  },
})
