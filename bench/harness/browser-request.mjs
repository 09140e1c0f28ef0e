/** What a browser sends when a person opens a page: 17 header fields. */
export function browserRequest({ path, port, accept }) {
  return [
    `GET ${path} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    'Connection: keep-alive',
    'Cache-Control: max-age=0',
    'sec-ch-ua: "Chromium";v="147", "Not_A Brand";v="24"',
    'sec-ch-ua-mobile: ?0',
    'sec-ch-ua-platform: "Linux"',
    'Upgrade-Insecure-Requests: 1',
    'User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/147.0.0.0 Safari/537.36',
    `Accept: ${accept ?? 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8'}`,
    'Sec-Fetch-Site: none',
    'Sec-Fetch-Mode: navigate',
    'Sec-Fetch-User: ?1',
    'Sec-Fetch-Dest: document',
    'Accept-Encoding: gzip, deflate, br, zstd',
    'Accept-Language: en-GB,en;q=0.9,de;q=0.8',
    'Cookie: theme=dark; visits=12; _ga=GA1.1.1234567890.1700000000',
    'Referer: http://127.0.0.1/start',
    '',
    '',
  ].join('\r\n');
}
