import type { RequestOptions } from '../clients/service-client.js';

/** The declaration of every XML answer, after its byte order mark. */
export const mark = '\ufeff<?xml version="1.0" encoding="utf-8"?>';
/** The path of the service properties. */
export const path = '/?restype=service&comp=properties';
/** Options of a request that sends and accepts XML. */
export const xml: RequestOptions = { accept: 'application/xml', headers: { 'Content-Type': 'application/xml' } };

/** Writes a whole document. */
export const root = (...parts: string[]) => `<StorageServiceProperties>${parts.join('')}</StorageServiceProperties>`;
/** A retention policy that is off. */
export const noRetention = '<RetentionPolicy><Enabled>false</Enabled></RetentionPolicy>';
/** Writes a retention policy of this many days. */
export const retention = (days: number) =>
  `<RetentionPolicy><Enabled>true</Enabled><Days>${days}</Days></RetentionPolicy>`;
/** Writes the logging settings. */
export const logging = (read: boolean, kept = noRetention) =>
  `<Logging><Version>1.0</Version><Read>${read}</Read><Write>false</Write><Delete>false</Delete>${kept}</Logging>`;
/** Writes metrics settings. Without `apis` they are disabled. */
export const metrics = (name: string, apis?: boolean, kept = noRetention) =>
  `<${name}><Version>1.0</Version><Enabled>${apis !== undefined}</Enabled>` +
  `${apis === undefined ? '' : `<IncludeAPIs>${apis}</IncludeAPIs>`}${kept}</${name}>`;

/** The settings of a new account, in their order. */
export const asNew = {
  Logging: logging(false),
  HourMetrics: metrics('HourMetrics', true, retention(7)),
  MinuteMetrics: metrics('MinuteMetrics'),
  Cors: '<Cors />',
};
