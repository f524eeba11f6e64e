-- `:checkhealth planlens`: whether the server is there, and what the current buffer needs.
local M = {}

local health = vim.health

local function check_neovim()
  if vim.fn.has('nvim-0.10.4') == 1 then
    health.ok('Neovim ' .. tostring(vim.version()))
  else
    health.error('Neovim is older than 0.10.4')
  end
end

local function check_program(program)
  if vim.fn.executable(program) == 0 then
    return health.error(('`%s` cannot be run'):format(program), { 'Install planlens, and put it on the PATH' })
  end
  local answer = vim.system({ program, '--version' }, { text = true }):wait()
  health.ok(('%s (%s)'):format(vim.trim(answer.stdout), vim.fn.exepath(program)))
end

local function check_buffer(server, buffer)
  if not server then
    return health.warn('No server is attached to the current buffer', { 'Open a file of configuration, then run `:checkhealth planlens` there' })
  end
  health.ok('Attached, with root folder ' .. (server.root_dir or 'none'))
  if vim.lsp.inlay_hint.is_enabled({ bufnr = buffer }) then
    health.ok('Inlay hints are shown')
  else
    health.warn('Inlay hints are not shown', { 'Call `vim.lsp.inlay_hint.enable(true, { bufnr = 0 })`' })
  end
end

-- What `planlens doctor` says of the folder: it tries all that a plan needs.
local function check_folder(program, buffer)
  local folder = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(buffer), ':p:h')
  local answer = vim.system({ program, 'doctor', folder }, { text = true }):wait()
  local report = answer.code == 0 and health.info or health.warn
  report(('`planlens doctor %s`:\n%s'):format(folder, vim.trim(answer.stdout .. answer.stderr)))
end

function M.check()
  -- The report opens in a window of its own, beside what it is about.
  local buffer = vim.fn.bufnr('#')
  local server = vim.lsp.get_clients({ bufnr = buffer, name = 'planlens' })[1]
  local program = server and server.config.cmd[1] or 'planlens'
  health.start('planlens')
  check_neovim()
  check_program(program)
  check_buffer(server, buffer)
  if server then
    check_folder(program, buffer)
  end
end

return M
