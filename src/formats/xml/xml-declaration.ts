/** The beginning of every XML answer. The service sends the byte order mark. Source: operations 4.2. */
export const xmlDeclaration = '\ufeff<?xml version="1.0" encoding="utf-8"?>';
