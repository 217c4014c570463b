/*! fflate: Copyright (c) 2026 Arjun Barrett, MIT License (opensource.org/license/mit) */
// What the report embeds of libraries: charts, and what unpacks the data they draw.
export * as echarts from './echarts.mjs';
export { inflateSync, strFromU8 } from 'fflate';
