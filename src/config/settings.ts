import type { Static, TInteger, TObject, TPartial, TProperties } from 'typebox'
import { Closed, Type } from '../schemas/type.ts'

/** A group of settings, each said once: its type and bounds, its default and what it means. */
export interface SettingsOf<P extends TProperties> {
  readonly defaults: Readonly<Static<TObject<P>>>
  /** What the configuration file may say of them. */
  readonly file: TPartial<TObject<P>>
}

/** Every property has a default. Its description stands behind what is told of a value that cannot be used. */
export function defineSettings<P extends TProperties>(properties: P): SettingsOf<P> {
  const defaults = Object.entries(properties).map(([name, schema]) => [name, (schema as { default?: unknown }).default])
  return {
    defaults: Object.fromEntries(defaults) as Static<TObject<P>>,
    file: Closed(
      Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, Type.Optional(schema)])),
    ) as unknown as TPartial<TObject<P>>,
  }
}

/** A whole number from 1 on, or between the bounds. */
export const whole = (
  value: number,
  description: string,
  bounds: { readonly minimum?: number; readonly maximum?: number } = {},
): TInteger => Type.Integer({ minimum: 1, ...bounds, default: value, description })
