import { expect, test } from 'vitest'
import { loadConfig } from '../../src/config/config.ts'

const load = (env: NodeJS.ProcessEnv, file = '{}') =>
  loadConfig({ VERIDICT_CONFIG: 'file', ...env }, () => file).config.blobs

test.each([{}, { VERIDICT_BLOBS: '' }, { VERIDICT_BLOBS: 'database' }])('%j: in the database', (env) => {
  expect(load(env, '{"blobs": {"endpoint": "https://s3.example"}}')).toBeNull()
})

test('a place of Amazon, with defaults', () => {
  expect(load({ VERIDICT_BLOBS: 's3://my.bucket-1' })).toEqual({
    bucket: 'my.bucket-1',
    prefix: '',
    endpoint: null,
    region: 'us-east-1',
    path_style: false,
    min_bytes: 16_384,
    max_connections: 32,
    connect_timeout_ms: 5000,
    request_timeout_ms: 20_000,
    max_attempts: 4,
    shown: 's3://my.bucket-1',
  })
})

test('the file comes before the variables of AWS, and an endpoint means buckets in paths', () => {
  const env = {
    VERIDICT_BLOBS: 's3://bucket/a/b_c.d/',
    AWS_REGION: 'eu-west-1',
    AWS_DEFAULT_REGION: 'ignored',
    AWS_ENDPOINT_URL: 'http://ignored',
    AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:9000/',
  }
  expect(load(env)).toMatchObject({
    ...{ prefix: 'a/b_c.d', shown: 's3://bucket/a/b_c.d', region: 'eu-west-1' },
    ...{ endpoint: 'http://127.0.0.1:9000', path_style: true },
  })
  const file =
    '{"blobs": {"endpoint": "https://s3.example/base", "region": "x-1", "path_style": false, "min_bytes": 4096}}'
  expect(load(env, file)).toMatchObject({
    endpoint: 'https://s3.example/base',
    region: 'x-1',
    path_style: false,
    min_bytes: 4096,
  })
})

test.each([
  ['http://bucket/prefix', /it looks like s3:\/\//],
  ['s3://', /names no bucket/],
  ['s3://UPPER/x', /names no bucket/],
  ['s3://a..b/x', /names no bucket/],
  ['s3://user:hunter2@bucket/x', /names no bucket/],
  ['s3://bucket/a//b', /prefix/],
  ['s3://bucket/../other', /prefix/],
  ['s3://bucket/./x', /prefix/],
  ['s3://bucket/a?x=hunter2', /prefix/],
  ['s3://bucket/a%2e%2e', /prefix/],
  [`s3://bucket/${'a/'.repeat(300)}b`, /prefix/],
])('%s is refused, and not repeated', (place, why) => {
  expect(() => load({ VERIDICT_BLOBS: place })).toThrow(why)
  expect(() => load({ VERIDICT_BLOBS: place })).not.toThrow(/hunter2/)
})

test.each(['s3.example', 'ftp://s3.example', 'https://u:hunter2@s3.example', 'https://s3.example/?a=hunter2'])(
  'the endpoint %s is refused, and not repeated',
  (endpoint) => {
    const env = { VERIDICT_BLOBS: 's3://bucket', AWS_ENDPOINT_URL_S3: endpoint }
    expect(() => load(env)).toThrow(/the endpoint of the blob store/)
    expect(() => load(env)).not.toThrow(/hunter2/)
  },
)

test.each(['{"blobs": {"bucket": "x"}}', '{"blobs": {"min_bytes": 10}}', '{"blobs": {"max_attempts": 0}}'])(
  'the file %s is refused',
  (file) => expect(() => load({ VERIDICT_BLOBS: 's3://bucket' }, file)).toThrow(/\/blobs/),
)
