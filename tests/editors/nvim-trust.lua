-- Drives a real Neovim, headless: before the user trusts a workspace no plugin starts.
-- $INIT is the user's configuration, $MODULE a root module on hashicorp/random whose plan has no changes.

local failed = 0

local function say(...)
  io.stdout:write(table.concat({ ... }, ' ') .. '\n')
end

-- The limit is far beyond what a plan takes: it ends a test that would wait for ever.
local function wait_for(what, condition)
  local last
  local reached = vim.wait(120000, function()
    local ok, answer = pcall(condition)
    last = answer
    return ok and answer
  end, 10)
  if not reached then
    error('timeout: ' .. what .. ': ' .. vim.inspect(last), 2)
  end
end

local function test(name, body)
  if failed > 0 then
    return
  end
  local ok, trace = xpcall(body, debug.traceback)
  if not ok then
    failed = failed + 1
  end
  say(ok and 'ok' or 'not ok', name, ok and '' or trace)
end

-- The plugins that the server started.
local function plugins()
  local servers = vim.fn.systemlist({ 'pgrep', '-P', tostring(vim.fn.getpid()), '-f', 'planlens lsp' })
  return #servers == 1 and vim.fn.systemlist({ 'pgrep', '-P', servers[1], '-f', 'terraform-provider' }) or {}
end

-- What was asked, with the plugins that ran then, and what the user chooses.
local asked, answer
local function choose(prompt, titles)
  asked = { prompt = prompt, plugins = plugins() }
  for index, title in ipairs(titles) do
    if title:find(answer, 1, true) then
      return index
    end
  end
end
-- Neovim asks in one of these ways.
vim.fn.inputlist = function(lines)
  return choose(lines[1], vim.list_slice(lines, 3))
end
vim.ui.select = function(items, _, done)
  done(items[choose('', vim.tbl_map(function(item) return item.title end, items))])
end

local buffer
local function first_lens()
  vim.lsp.codelens.refresh({ bufnr = buffer })
  local lens = vim.lsp.codelens.get(buffer)[1]
  return lens and lens.command and lens.command.title or ''
end

test('a no lets no plugin start, and it is told', function()
  answer = 'Not now'
  dofile(vim.env.INIT)
  vim.cmd('edit ' .. vim.env.MODULE .. '/main.tf')
  buffer = vim.api.nvim_get_current_buf()
  wait_for('question', function() return asked end)
  say('   asked:', asked.prompt)
  wait_for('lens', function() return first_lens():find('may not start', 1, true) end)
  say('   lens:', first_lens())
  assert(#asked.plugins == 0 and #plugins() == 0, vim.inspect(plugins()))
end)

test('a yes starts them, and the plan appears', function()
  asked, answer = nil, 'Trust this workspace'
  -- The next time it is asked again.
  vim.lsp.stop_client(vim.lsp.get_clients({ bufnr = buffer }))
  wait_for('end', function() return #vim.lsp.get_clients({ bufnr = buffer }) == 0 end)
  vim.cmd('edit')
  wait_for('question', function() return asked end)
  assert(#asked.plugins == 0, vim.inspect(asked))
  wait_for('lens', function() return first_lens() == 'no change' end)
  assert(#plugins() > 0)
end)

if failed > 0 then
  say('messages:', vim.fn.execute('messages'))
end
vim.cmd(failed == 0 and 'qall!' or 'cquit! 1')
